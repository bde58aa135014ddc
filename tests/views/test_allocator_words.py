from __future__ import annotations

from functools import partial

import pytest

from budget_model.domain.allocation import allocate
from budget_model.services.attainment import Attainment
from budget_model.services.budget_words import infeasible_words, scale_words
from budget_model.views.allocator_answer import line_rows, ways_out
from budget_model.views.allocator_compute import attainment_words, three_rows
from budget_model.views.allocator_controls import default_percentile, nice_up
from budget_model.views.asked import Asked
from tests.views.allocations import allocation, sample


def test_the_scale_is_said_to_a_product_owner() -> None:
    found = allocation(2_500_000)
    assert found.compute.scale is not None
    assert scale_words(found) == f"Compute must run in {100 * found.compute.scale:.0f} % of today's time."
    assert scale_words(allocation(40_000_000)).startswith("Compute may take ")


def test_the_naive_reading_stands_beside_the_others() -> None:
    rows = three_rows(allocation().compute)
    assert len(rows) == 3
    assert "wrong" in rows[2][0].markup  # type: ignore[union-attr]
    assert three_rows(allocation(1_000_000).compute)[2][1] == "“impossible”"


def test_every_way_out_of_an_infeasible_target_is_feasible() -> None:
    found = allocation(700_000)
    if found.infeasible is None:
        found = allocation(400_000)
    assert found.infeasible is not None
    asked = Asked(found.question.target_us / 1e6, 0.99, 0.1)
    ways = ways_out(asked, found, found.infeasible)
    assert len(ways) >= 2
    for _, _, change in ways:
        assert isinstance(change, partial)
        question = change(asked).question()
        assert allocate(sample(), question).infeasible is None


def test_less_headroom_is_offered_when_it_would_do() -> None:
    needed = allocation().compute.overhead_quantile_us
    target_us = round(needed * 1.05)
    found = allocation(target_us)
    assert found.infeasible is not None
    keys = [key for _, key, _ in ways_out(Asked(target_us / 1e6, 0.99, 0.1), found, found.infeasible)]
    assert keys[:2] == ["take-target", "lower-headroom"]


def test_why_it_is_not_feasible_names_the_shortfall_and_the_longest_hop_first() -> None:
    said = infeasible_words(allocation(400_000))
    assert "overhead alone exceeds the target by" in said
    assert "Cut first: retrieval" in said


def test_lines_stand_under_the_target_they_add_to() -> None:
    rows = line_rows(allocation())
    printed = [int(str(row[1]).removesuffix(" ms").replace(",", "")) for row in rows]
    assert printed[0] == sum(printed[1:]) == 4000


def test_attainment_counts_failures_as_outside_and_gives_the_interval() -> None:
    said = attainment_words(Attainment(5_000_000, 1000, 8, 12, 0.98, 0.9692, 0.9878), 0.99)
    assert "<b>98.00 %</b>" in said
    assert "short of the 99 % asked" in said
    assert "96.92 to 98.78 %" in said
    assert "980 of 1,000 · 8 late, 12 failed" in said


@pytest.mark.parametrize(
    ("ok", "failed", "q"),
    [(2000, 0, 0.99), (2000, 30, 0.95), (200, 0, 0.95), (2000, 1500, 0.5), (3, 0, 0.99)],
)
def test_the_page_opens_at_the_highest_percentile_that_can_have_a_budget(
    ok: int, failed: int, q: float
) -> None:
    assert default_percentile(ok, failed) == q


@pytest.mark.parametrize(("value", "nice"), [(9.823, 9.9), (0.431, 0.44), (123.0, 130.0), (5.0, 5.0)])
def test_a_target_to_begin_with_has_two_figures(value: float, nice: float) -> None:
    assert nice_up(value) == nice
