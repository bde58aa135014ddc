"""A Grafana dashboard of one budget: attainment, burn and the lines as they were agreed."""

from __future__ import annotations

import json
from typing import Any

from budget_model.domain.budget import Budget
from budget_model.domain.burn import RULES
from budget_model.exports.promql import MetricNames, error_ratio, slug

SCHEMA_VERSION = 39
_SOURCE = {"type": "prometheus", "uid": "${datasource}"}


def grafana_dashboard(budget: Budget, names: MetricNames) -> str:
    """Dashboard JSON for import; the data source is chosen on the dashboard."""
    allowed = 1 - budget.content.q
    burn = f"({error_ratio(budget, names, '1h')}) / {allowed:.6g}"
    panels = [
        _panel(
            1,
            "stat",
            "Within target, 30 d",
            f"1 - ({error_ratio(budget, names, '30d')})",
            "percentunit",
            0,
            0,
        ),
        _panel(2, "timeseries", "Burn rate, 1 h", burn, "none", 6, 0, RULES[0].threshold()),
        _lines_panel(budget),
    ]
    dashboard = {
        "uid": slug(f"tailbudget-{budget.name}")[:40],
        "title": f"Latency budget: {budget.name} (version {budget.version})",
        "schemaVersion": SCHEMA_VERSION,
        "tags": ["tailbudget"],
        "time": {"from": "now-24h", "to": "now"},
        "templating": {"list": [{"name": "datasource", "type": "datasource", "query": "prometheus"}]},
        "panels": panels,
    }
    return json.dumps(dashboard, indent=2, ensure_ascii=False)


def _panel(
    number: int, kind: str, title: str, expr: str, unit: str, x: int, y: int, limit: float | None = None
) -> dict[str, Any]:
    steps: list[dict[str, Any]] = [{"color": "green", "value": None}]
    if limit is not None:
        steps.append({"color": "red", "value": limit})
    return {
        "id": number,
        "type": kind,
        "title": title,
        "datasource": _SOURCE,
        "gridPos": {"h": 8, "w": 6 if kind == "stat" else 18, "x": x, "y": y},
        "fieldConfig": {
            "defaults": {"unit": unit, "thresholds": {"mode": "absolute", "steps": steps}},
            "overrides": [],
        },
        "targets": [{"refId": "A", "expr": expr, "datasource": _SOURCE}],
    }


def _lines_panel(budget: Budget) -> dict[str, Any]:
    rows = "\n".join(f"{line.name:<14} {line.us / 1000:>12,.1f} ms" for line in budget.content.lines)
    fenced = f"```\n{rows}\n```"
    return {
        "id": 3,
        "type": "text",
        "title": "Lines of the budget",
        "gridPos": {"h": 10, "w": 24, "x": 0, "y": 8},
        "options": {"mode": "markdown", "content": fenced},
    }
