"""What a run of MLflow is brought to: names known, units converted, nothing guessed."""

from __future__ import annotations

import math
from typing import Any

import pytest

from budget_model.errors import MappingError
from budget_model.normalise.mlflow_run import point_of
from budget_model.normalise.rule_file import make_rule
from budget_model.normalise.rules import load_rules
from budget_model.normalise.run_metrics import figure_of
from budget_model.normalise.vocabulary import mlflow_runs
from budget_model.records.rejects import BadRecordError
from tests.services.runs import run

AIPERF = {"aiperf.version": "0.13.0"}


@pytest.mark.parametrize(
    ("name", "field", "factor"),
    [
        ("p99_ttft_ms", "ttft_p99_ms", 1),
        ("ttft_p50_s", "ttft_p50_ms", 1000),
        ("median_tpot_ms", "tpot_p50_ms", 1),
        ("mean_e2el_ms", "e2e_mean_ms", 1),
        ("time-to-first-token/P99.9/seconds", "ttft_p99.9_ms", 1000),
        ("e2e_p999_us", "e2e_p99.9_ms", 1e-3),
        ("itl_ms_p95", "tbt_p95_ms", 1),
        ("request_throughput", "requests_per_s", 1),
        ("output_throughput", "output_tokens_per_s", 1),
        ("gpu_utilization_pct", "gpu_utilisation", 0.01),
        ("vllm/gpu_cache_usage_perc", None, 0),
        ("gpu_cache_usage_perc", "kv_cache_usage", 1),
        ("system/gpu_3_utilization_percentage", "gpu_utilisation", 0.01),
        ("ttft_p99", None, 0),
        ("ttft_ms", None, 0),
        ("time_to_first_token.p99", None, 0),
        ("gpu_utilization", None, 0),
        ("loss", None, 0),
        ("p99_ms", None, 0),
        ("p100_ttft_ms", None, 0),
    ],
)
def test_a_name_tells_percentile_and_unit_or_is_not_read(name: str, field: str | None, factor: float) -> None:
    assert figure_of(name, is_aiperf=False) == (None if field is None else (field, factor))


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("time_to_first_token", "ttft_mean_ms"),
        ("time_to_first_token.p99", "ttft_p99_ms"),
        ("inter_token_latency.p50", "tpot_p50_ms"),
        ("inter_chunk_latency.p99", "tbt_p99_ms"),
        ("request_latency.count", "e2e_n"),
        ("request_count", "requests_ok"),
        ("request_latency.std", None),
        ("live.aiperf.time_to_first_output_token", None),
        ("adj_request_latency.p99", None),
    ],
)
def test_names_of_aiperf_are_milliseconds_and_the_bare_one_is_the_mean(name: str, field: str | None) -> None:
    found = figure_of(name, is_aiperf=True)
    assert (found and found[0]) == field


def test_seconds_of_aiperf_become_milliseconds_once() -> None:
    point = point_of(run(tags=AIPERF, metrics={"benchmark_duration": 26.5, "time_to_first_token.p99": 103.5}))
    assert point.measured == {"duration_ms": 26_500.0, "ttft_p99_ms": 103.5}
    assert point.labels["tool"] == "AIPerf 0.13.0"


def test_settings_come_from_params_then_tags_then_metrics() -> None:
    told = run(
        metrics={"p99_ttft_ms": 1.0, "batch_size": 8.0, "concurrency": 3.0},
        params={"loadgen.concurrency": "16", "chunk-size": "512", "request_rate": "inf"},
        tags={"concurrency": "4", "gpu_type": "H100", "model": ""},
    )
    point = point_of(told)
    assert point.settings == {"chunk_size": 512, "batch_size": 8, "concurrency": 4}
    assert point.labels == {"hardware": "H100"}


def test_what_is_not_finite_is_missing_and_counted() -> None:
    metrics = {"p99_ttft_ms": math.nan, "p50_ttft_ms": math.inf, "p90_ttft_ms": -math.inf, "p99_e2el_ms": 9.0}
    point = point_of(run(metrics=metrics))
    assert (point.measured, point.not_finite) == ({"e2e_p99_ms": 9.0}, 3)


def test_the_use_of_several_gpus_is_their_mean() -> None:
    metrics = {f"system/gpu_{n}_utilization_percentage": value for n, value in enumerate((90.0, 70.0))}
    assert point_of(run(metrics=metrics)).measured == {"gpu_utilisation": pytest.approx(0.8)}


def test_a_nested_run_is_a_stage_of_its_parent() -> None:
    point = point_of(run(tags={"mlflow.parentRunId": "abc"}))
    assert (point.kind, point.parent_id) == ("stage", "abc")
    assert point_of(run()).kind == "point"


def test_a_run_in_progress_may_have_logged_nothing_yet() -> None:
    point = point_of(run(status="RUNNING", metrics={}, end_ms=None))
    assert (point.is_in_progress, point.measured) == (True, {})


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"run_id": ""}, "a run must have an id"),
        ({"metrics": {"loss": 1.0}}, "no metric of the run has a name that is known here"),
        ({"metrics": {"p99_ttft_ms": -1.0}}, "ttft_p99_ms is -1; 0 or more is accepted"),
        ({"metrics": {"gpu_utilization_share": 80.0}}, "gpu_utilisation is 80; a share of 0 to 1"),
        ({"params": {"concurrency": "many"}}, "concurrency is 'many'; a number is accepted"),
        ({"end_ms": 1}, "the run ends before it starts"),
        ({"tags": {"tailbudget.identity": "x"}}, "published from Tailbudget itself"),
    ],
)
def test_a_run_that_cannot_be_taken_is_refused_in_one_sentence(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadRecordError, match=reason):
        point_of(run(**changes))


def test_no_name_has_two_meanings() -> None:
    tables = (mlflow_runs.LABELS, mlflow_runs.SETTINGS, mlflow_runs.FIGURES, mlflow_runs.LATENCIES)
    for table in tables:
        names = [name for names in table.values() for name in names]
        assert len(names) == len(set(names))


def test_texts_are_fit_for_every_database() -> None:
    point = point_of(run(name="a\0b" + "x" * 1000))
    assert ("\0" in point.name, len(point.name)) == (False, 500)


def test_names_of_the_user_go_before_the_built_in_ones() -> None:
    own = load_rules(
        """
        [runs]
        token_budget = ["sched.budget"]
        model = ["which"]
        ttft_p99_ms = ["not.there", "Our.first.p99.seconds"]
        "e2e_p99.9_ms" = ["slowest"]
        gpu_utilisation = ["busy.pct"]
        """
    ).runs
    metrics = {"Our.first.p99.seconds": 0.5, "p99_ttft_ms": 9.0, "slowest": 7.0, "busy.pct": 25.0}
    told = run(metrics=metrics, params={"sched-budget": "512", "token_budget": "1"}, tags={"which": "mine"})
    point = point_of(told, own)
    assert point.measured == {"e2e_p99.9_ms": 7.0, "gpu_utilisation": 0.25, "ttft_p99_ms": 500.0}
    assert (point.settings, point.labels) == ({"token_budget": 512.0}, {"model": "mine"})


def test_names_of_the_user_outlive_a_change_of_hop_rules_and_touch_no_fact() -> None:
    toml = '[runs]\n"ttft_p99.9_ms" = ["x"]\n'
    rules = load_rules(toml)
    changed = rules.with_user_rule(make_rule({"name": "n", "hop": "queue"}))
    assert load_rules(changed.to_toml()).runs == rules.runs == {"ttft_p99.9_ms": ("x",)}
    assert changed.without_user_rule(0).runs == rules.runs
    assert rules.fingerprint == load_rules(None).fingerprint


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('[runs]\np99 = ["x"]', r"\[runs\] has 'p99'; model, .*ttft_p99_ms and the like are accepted"),
        ('[runs]\nmodel = "x"', r"\[runs\] model is 'x'; a list of names of params, tags or metrics"),
        ("runs = 3", r"\[runs\] is 3; a table"),
    ],
)
def test_a_table_of_names_that_cannot_be_used_is_refused(toml: str, said: str) -> None:
    with pytest.raises(MappingError, match=said):
        load_rules(toml)
