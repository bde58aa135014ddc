"""The sentences behind a figure are true of the figure in front of them."""

from __future__ import annotations

from dataclasses import replace

from budget_model.queries.filters import EVERYTHING
from budget_model.views import explain
from tests.views.results import difference, estimate, waterfall


def test_a_sample_whose_clustering_cannot_be_seen_is_not_said_to_lack_times() -> None:
    lines = explain.quantile_lines(replace(estimate(100.0, n=3), blocks=0), 0, 0, EVERYTHING)
    [said] = [line for line in lines if "independent" in line and "interval" not in line]
    assert said.startswith("Too few requests carry a time, or are slower than this")


def test_ranks_are_ordinals() -> None:
    lines = explain.quantile_lines(estimate(100.0, n=3), 0, 0, EVERYTHING)
    assert "the p99 is the 3rd smallest of 3 values" in " ".join(lines)


def test_the_rounding_named_is_the_rounding_drawn() -> None:
    long, short = waterfall({"decode": 900.0}), waterfall({"decode": 0.9})
    assert any("whole milliseconds" in line for line in explain.waterfall_lines(long))
    assert any("whole microseconds" in line for line in explain.waterfall_lines(short))


def test_own_percentiles_that_happen_to_add_are_not_said_to_differ() -> None:
    found = waterfall({"queue": 100.0, "decode": 200.0})
    assert any("add to 600 ms, not to 300 ms" in line for line in explain.waterfall_lines(found))
    same = replace(found, sum_of_own_quantiles_ms=300.0)
    assert not any("not to" in line for line in explain.waterfall_lines(same))


def test_a_change_under_a_millisecond_keeps_its_microseconds() -> None:
    lines = explain.difference_lines(difference({"decode": 0.4}, {"decode": 0.9}))
    assert lines[-1] == "The changes add to 0.90 ms − 0.40 ms = 0.500 ms exactly."
