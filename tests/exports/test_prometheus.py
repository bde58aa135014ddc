from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from budget_model.exports.prometheus import prometheus_rules, unreachable_alerts
from budget_model.exports.promql import MetricNames, good_and_total, slug
from budget_model.exports.sloth import sloth_spec
from scripts.ensure_programs import PROGRAMS, find
from tests.exports.budgets import HOSTILE, budget

HOSTILE_TENANTS: tuple[str | None, ...] = ('a"b', "c\\d", "e|f.*", "g\nh", "{i}", None, "ü🙂")


@pytest.fixture(scope="module")
def promtool() -> str:
    found = find(PROGRAMS["promtool"], os.environ)
    if found is None:
        pytest.skip(PROGRAMS["promtool"].advice)
    return found


@pytest.mark.parametrize("q", [0.5, 0.9, 0.95, 0.99, 0.999])
@pytest.mark.parametrize("name", ["chat 5s", HOSTILE])
def test_promtool_accepts_the_rules(promtool: str, tmp_path: Path, name: str, q: float) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(
        prometheus_rules(budget(name, q, tenants=HOSTILE_TENANTS), MetricNames()), encoding="utf-8"
    )
    ran = subprocess.run(
        [promtool, "check", "rules", str(rules)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "8 rules found" in ran.stdout


def check_rules(promtool: str, folder: Path, tests: list[dict[str, Any]]) -> None:
    """Let promtool run the rules of a budget over made-up series."""
    (folder / "rules.yaml").write_text(prometheus_rules(budget("b"), MetricNames()), encoding="utf-8")
    case = {"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": tests}
    (folder / "case.yaml").write_text(yaml.safe_dump(case), encoding="utf-8")
    ran = subprocess.run(
        [promtool, "test", "rules", "case.yaml"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_rules_page_when_both_windows_burn_and_not_when_one_does(promtool: str, tmp_path: Path) -> None:
    labels = 'workload="chat",tenant_id="acme"'
    name = "gen_ai_server_request_duration_seconds"
    series = [
        {"series": f'{name}_count{{{labels},error_type=""}}', "values": "0+100x240"},
        {"series": f'{name}_bucket{{{labels},error_type="",le="5"}}', "values": "0+80x120 9600+100x120"},
    ]
    page = {"severity": "page", "budget": "b", "version": "3"}
    burning = {"eval_time": "2h", "alertname": "LatencyBudgetBurn1h", "exp_alerts": [{"exp_labels": page}]}
    burning["exp_alerts"][0]["exp_annotations"] = {  # type: ignore[index]
        "summary": "Burning 14.4 times faster than the budget allows over 1h."
    }
    stopped = {"eval_time": "2h20m", "alertname": "LatencyBudgetBurn1h", "exp_alerts": []}
    check_rules(
        promtool,
        tmp_path,
        [{"interval": "1m", "input_series": series, "alert_rule_test": [burning, stopped]}],
    )


def test_an_objective_too_low_for_the_fast_burn_is_told_with_one_that_can_fire() -> None:
    told = unreachable_alerts(0.9)
    assert len(told) == 1
    assert "more than 100 %" in told[0]
    rules = yaml.safe_load(prometheus_rules(budget("b", 0.9), MetricNames()))
    limits = [float(rule["expr"].split(" > ")[1].split(" ")[0]) for rule in rules["groups"][1]["rules"]]
    assert max(limits) < 1
    assert unreachable_alerts(0.99) == []


def test_a_failed_request_counts_in_the_total_alone() -> None:
    good, total = good_and_total(budget(), MetricNames(), "5m")
    assert 'error_type=""' in good
    assert "error_type" not in total
    assert 'le=~"5|5[.]0"' in good


@pytest.mark.parametrize(
    ("target_us", "matcher"),
    [
        (5_000_000, 'le=~"5|5[.]0"'),
        (800_000, 'le="0.8"'),
        (1_234_567, 'le="1.234567"'),
        (1_000_000_000, 'le=~"1000|'),
    ],
)
def test_the_target_is_written_as_the_bucket_bound_is(target_us: int, matcher: str) -> None:
    whole = budget()
    asked = replace(whole, content=replace(whole.content, target_us=target_us))
    assert matcher in good_and_total(asked, MetricNames(), "5m")[0]


@pytest.mark.parametrize(
    ("series", "fires"),
    [
        ({"_count": "0+100x240", "_bucket": None}, True),
        ({"_count": "100x240", "_bucket": "100x240"}, False),
        ({"_count": None, "_bucket": None}, False),
        ({"_count": "0+100x240", "_bucket": "0+100x240"}, False),
    ],
    ids=["nothing good", "quiet", "no series", "all good"],
)
@pytest.mark.parametrize("bound", ["5", "5.0"])
def test_no_good_request_burns_and_no_request_does_not(
    promtool: str, tmp_path: Path, series: dict[str, str | None], fires: bool, bound: str
) -> None:
    labels = 'workload="chat",tenant_id="acme",error_type=""'
    name = "gen_ai_server_request_duration_seconds"
    extra = {"_count": "", "_bucket": f',le="{bound}"'}
    given = [
        {"series": f"{name}{part}{{{labels}{extra[part]}}}", "values": values}
        for part, values in series.items()
        if values is not None
    ]
    page = {"severity": "page", "budget": "b", "version": "3"}
    words = {"summary": "Burning 14.4 times faster than the budget allows over 1h."}
    expected = [{"exp_labels": page, "exp_annotations": words}] if fires else []
    alert = {"eval_time": "2h", "alertname": "LatencyBudgetBurn1h", "exp_alerts": expected}
    check_rules(promtool, tmp_path, [{"interval": "1m", "input_series": given, "alert_rule_test": [alert]}])


@pytest.mark.parametrize(("name", "safe"), [("Chat 5s!", "chat-5s"), ("--", "budget"), ("x" * 80, "x" * 63)])
def test_a_name_becomes_what_kubernetes_accepts(name: str, safe: str) -> None:
    assert slug(name) == safe


def test_the_sloth_spec_has_what_sloth_requires() -> None:
    spec = yaml.safe_load(sloth_spec(budget(HOSTILE), MetricNames()))
    (level,) = spec["slos"]
    assert spec["version"] == "prometheus/v1"
    assert level["objective"] == 99.0
    assert "[{{.window}}]" in level["sli"]["raw"]["error_ratio_query"]
    assert {"name", "page_alert", "ticket_alert"} <= set(level["alerting"])
