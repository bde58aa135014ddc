"""Recording rules and multi-window burn-rate alerts (Google SRE Workbook, chapter 5)."""

from __future__ import annotations

from typing import Any

import yaml

from budget_model.domain.budget import Budget
from budget_model.domain.burn import RULES, AlertRule, can_fire, max_burn, reachable_share
from budget_model.exports.promql import MetricNames, error_ratio, slug

WINDOWS: tuple[str, ...] = ("5m", "30m", "1h", "6h", "3d")

_NAMES = {1 / 12: "5m", 0.5: "30m", 1: "1h", 6: "6h", 72: "3d"}


def prometheus_rules(budget: Budget, names: MetricNames) -> str:
    """A rules file for Prometheus. Alerts that could never fire are left out and named in a comment."""
    groups = [
        {
            "name": f"tailbudget-{slug(budget.name)}-sli",
            "rules": [_recording(budget, names, w) for w in WINDOWS],
        },
        {"name": f"tailbudget-{slug(budget.name)}-alerts", "rules": _alerts(budget)},
    ]
    comments = "".join(f"# {line}\n" for line in unreachable_alerts(budget.content.q))
    return comments + yaml.safe_dump({"groups": groups}, sort_keys=False, allow_unicode=True, width=10_000)


def unreachable_alerts(objective: float) -> list[str]:
    """For each alert that this objective rules out: why, and what would fire instead."""
    found = []
    for rule in RULES:
        if not can_fire(rule, objective):
            share = reachable_share(rule, objective)
            found.append(
                f"At an objective of {objective:.4g} a burn of {rule.threshold():.4g} needs more than 100 % "
                f"errors (the most is {max_burn(objective):.4g}), so the {rule.long_hours:g} h "
                f"{rule.severity} can never fire; a budget share of {share:.2%} in place of "
                f"{rule.budget_share:.0%} can."
            )
    return found


def reachable_rules(objective: float) -> list[AlertRule]:
    """The alert rules as they are, or with a budget share small enough to fire."""
    return [
        rule
        if can_fire(rule, objective)
        else AlertRule(rule.severity, reachable_share(rule, objective), rule.long_hours, rule.short_hours)
        for rule in RULES
    ]


def _record_name(window: str) -> str:
    return f"tailbudget:error_ratio:rate{window}"


def _recording(budget: Budget, names: MetricNames, window: str) -> dict[str, Any]:
    return {
        "record": _record_name(window),
        "expr": error_ratio(budget, names, window),
        "labels": {"budget": budget.name, "version": str(budget.version)},
    }


def _alerts(budget: Budget) -> list[dict[str, Any]]:
    return [_alert(budget, rule) for rule in reachable_rules(budget.content.q)]


def _alert(budget: Budget, rule: AlertRule) -> dict[str, Any]:
    selector = f'{{budget="{_quoted(budget.name)}",version="{budget.version}"}}'
    limit = f"{rule.threshold() * (1 - budget.content.q):.6g}"
    long, short = _NAMES[rule.long_hours], _NAMES[rule.short_hours]
    both = (f"{_record_name(window)}{selector} > {limit}" for window in (long, short))
    summary = f"Burning {rule.threshold():.3g} times faster than the budget allows over {long}."
    return {
        "alert": f"LatencyBudgetBurn{long}",
        "expr": " and ".join(both),
        "labels": {"severity": rule.severity, "budget": budget.name},
        "annotations": {"summary": summary},
    }


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
