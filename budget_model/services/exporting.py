"""A saved budget in a form that another tool accepts."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from budget_model.domain.budget import Budget
from budget_model.exports.grafana import grafana_dashboard
from budget_model.exports.openslo import openslo_yaml
from budget_model.exports.prometheus import prometheus_rules
from budget_model.exports.prometheus import unreachable_alerts as unreachable_alerts
from budget_model.exports.promql import MetricNames as MetricNames
from budget_model.exports.promql import slug
from budget_model.exports.sloth import sloth_spec
from budget_model.exports.tables import budget_csv, budget_json


class ExportFormat(StrEnum):
    """Forms a budget can be written in."""

    OPENSLO = "openslo"
    SLOTH = "sloth"
    PROMETHEUS = "prometheus"
    GRAFANA = "grafana"
    CSV = "csv"
    JSON = "json"


_ENDINGS: dict[ExportFormat, str] = {
    ExportFormat.OPENSLO: "openslo.yaml",
    ExportFormat.SLOTH: "sloth.yaml",
    ExportFormat.PROMETHEUS: "rules.yaml",
    ExportFormat.GRAFANA: "grafana.json",
    ExportFormat.CSV: "csv",
    ExportFormat.JSON: "json",
}

_WRITERS: dict[ExportFormat, Callable[[Budget, MetricNames], str]] = {
    ExportFormat.OPENSLO: openslo_yaml,
    ExportFormat.SLOTH: sloth_spec,
    ExportFormat.PROMETHEUS: prometheus_rules,
    ExportFormat.GRAFANA: grafana_dashboard,
    ExportFormat.CSV: lambda budget, _: budget_csv(budget),
    ExportFormat.JSON: lambda budget, _: budget_json(budget),
}


def export_budget(budget: Budget, form: ExportFormat, names: MetricNames | None = None) -> str:
    """The budget as text in the chosen form."""
    return _WRITERS[form](budget, names or MetricNames())


def export_file_name(budget: Budget, form: ExportFormat) -> str:
    """A file name made of nothing that a shell or a file system could take amiss."""
    return f"{slug(budget.name)}-v{budget.version}.{_ENDINGS[form]}"
