"""An OpenSLO v1 document: a data source, a service and the objective."""

from __future__ import annotations

from typing import Any

import yaml

from budget_model.domain.budget import Budget
from budget_model.exports.promql import MetricNames, good_and_total, slug

SOURCE = "prometheus"
WINDOW = "5m"


def openslo_yaml(budget: Budget, names: MetricNames) -> str:
    """Three OpenSLO documents in one YAML stream, per the v1 specification."""
    documents = (_data_source(), _service(budget), _objective(budget, names))
    return yaml.safe_dump_all(documents, sort_keys=False, allow_unicode=True, width=10_000)


def _document(kind: str, name: str, title: str, spec: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": slug(name), "displayName": title}
    return {"apiVersion": "openslo/v1", "kind": kind, "metadata": metadata, "spec": spec}


def _data_source() -> dict[str, Any]:
    details = {"type": "Prometheus", "connectionDetails": {}}
    return _document("DataSource", SOURCE, "Prometheus", details)


def _service(budget: Budget) -> dict[str, Any]:
    return _document("Service", budget.name, budget.name, {"description": _segment(budget)})


def _objective(budget: Budget, names: MetricNames) -> dict[str, Any]:
    good, total = good_and_total(budget, names, WINDOW)
    content = budget.content
    title = f"{budget.name} version {budget.version}"
    ratio = {"counter": False, "good": _query(good), "total": _query(total)}
    return _document(
        "SLO",
        f"{budget.name}-v{budget.version}",
        title,
        {
            "description": f"{content.q:.4%} of requests end within {content.target_us / 1000:g} ms.",
            "service": slug(budget.name),
            "indicator": {
                "metadata": {"name": slug(f"{budget.name}-within-target")},
                "spec": {"ratioMetric": ratio},
            },
            "timeWindow": [{"duration": "30d", "isRolling": True}],
            "budgetingMethod": "Occurrences",
            "objectives": [{"displayName": title, "target": round(content.q, 8)}],
        },
    )


def _query(text: str) -> dict[str, Any]:
    return {"metricSource": {"metricSourceRef": SOURCE, "type": "Prometheus", "spec": {"query": text}}}


def _segment(budget: Budget) -> str:
    named = [
        f"{name}: {', '.join(v or 'not recorded' for v in values)}" for name, values in budget.content.segment
    ]
    return "; ".join(named) or "All traffic"
