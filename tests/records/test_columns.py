from __future__ import annotations

import pytest

from budget_model.records.columns import Timed, plan_of, unit_of
from budget_model.records.rejects import BadRecordError


@pytest.mark.parametrize(
    ("column", "meaning", "unit"),
    [
        ("prefill_ms", "prefill", "ms"),
        ("Post us", "postprocess", "us"),
        ("e2e_s", "e2e", "s"),
        ("Latency (ms)", "e2e", "ms"),
        ("end_to_end_latency_seconds", "e2e", "s"),
        ("time_to_first_token_ns", "ttft", "ns"),
        ("Elapsed time", "e2e", "s"),
    ],
)
def test_a_duration_column_is_known_by_name_and_unit(column: str, meaning: str, unit: str) -> None:
    assert plan_of((column,)).durations == {meaning: Timed(column, unit)}


def test_a_unit_may_stand_in_a_column_of_its_own() -> None:
    plan = plan_of(("duration_unit", "duration"))
    assert plan.durations == {"e2e": Timed("duration", None, "duration_unit")}
    assert plan.unused == []


def test_a_duration_without_a_unit_is_not_used() -> None:
    assert plan_of(("latency",)).unused == ["latency"]


@pytest.mark.parametrize("column", ["started_at", "ts_unix_nano", "Timestamp", "start_time_ms", "time"])
def test_a_time_column_is_known(column: str) -> None:
    plan = plan_of((column,))
    assert plan.time is not None
    assert plan.time.column == column


def test_time_with_a_unit_could_be_a_duration_and_is_not_used() -> None:
    assert plan_of(("time_ms",)).unused == ["time_ms"]


def test_the_better_known_name_wins_in_any_order_and_the_other_is_named() -> None:
    for columns in (("latency_ms", "e2e_ms"), ("e2e_ms", "latency_ms")):
        plan = plan_of(columns)
        assert (plan.durations["e2e"].column, plan.unused) == ("e2e_ms", ["latency_ms"])


def test_two_spellings_of_one_name_are_not_both_taken() -> None:
    assert plan_of(("Tenant", "tenant")).unused == ["tenant"]


@pytest.mark.parametrize(("cell", "unit"), [("ms", "ms"), (" Seconds ", "s"), ("µs", "µs"), ("nanos", "ns")])
def test_a_written_unit_is_known(cell: str, unit: str) -> None:
    assert unit_of(cell, "duration_unit") == unit


@pytest.mark.parametrize("cell", ["fortnights", "", None, 5])
def test_an_unknown_unit_is_refused(cell: object) -> None:
    with pytest.raises(BadRecordError, match="duration_unit must be one of"):
        unit_of(cell, "duration_unit")
