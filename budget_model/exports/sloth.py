"""A Sloth service level: Sloth makes the windows and alerts itself."""

from __future__ import annotations

import yaml

from budget_model.domain.budget import Budget
from budget_model.exports.promql import MetricNames, error_ratio, slug


def sloth_spec(budget: Budget, names: MetricNames) -> str:
    """A ``prometheus/v1`` spec; the window placeholder is the one Sloth fills in."""
    level = {
        "name": slug(budget.name),
        "objective": round(budget.content.q * 100, 6),
        "description": f"End-to-end within {budget.content.target_us / 1000:g} ms, version {budget.version}.",
        "sli": {"raw": {"error_ratio_query": error_ratio(budget, names, "{{.window}}")}},
        "alerting": {
            "name": f"LatencyBudget-{slug(budget.name)}",
            "page_alert": {"labels": {"severity": "page"}},
            "ticket_alert": {"labels": {"severity": "ticket"}},
        },
    }
    spec = {"version": "prometheus/v1", "service": slug(budget.name), "slos": [level]}
    return yaml.safe_dump(spec, sort_keys=False, allow_unicode=True, width=10_000)
