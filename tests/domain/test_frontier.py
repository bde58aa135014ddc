from __future__ import annotations

import numpy as np
import pytest

from budget_model.domain.allocation import SplitRule, allocate
from budget_model.domain.budget_question import Question
from budget_model.domain.frontier import frontier
from budget_model.domain.hops import Hop
from budget_model.domain.quantiles import quantile_of
from budget_model.domain.strategies import Strategy
from budget_model.errors import BudgetError
from tests.domain.lattices import lattice

ASKED = Question(5_000_000, 0.99, 0.1)


@pytest.mark.parametrize(
    ("prefill", "decode"), [(0.5, 1.0691), (1.0, 1.0246), (1.0214, 1.0214), (1.5, 0.9586), (2.0, 0.8779)]
)
def test_a_point_of_the_frontier_is_the_published_one(prefill: float, decode: float) -> None:
    (point,) = frontier(lattice("indep"), ASKED, np.array([prefill]))
    assert point.decode_scale == pytest.approx(decode, rel=1e-3)


def test_every_point_meets_the_target_exactly_and_prefill_is_paid_for_with_decode() -> None:
    sample = lattice("load")
    points = frontier(sample, ASKED, np.linspace(0, 2, 9))
    for point in points:
        hops = sample.hops.copy()
        hops[:, 5] *= point.prefill_scale
        hops[:, 6] *= point.decode_scale
        assert quantile_of(hops.sum(axis=1), 0.99) == pytest.approx(4_500_000, rel=1e-9)
    decode = [point.decode_scale for point in points]
    assert decode == sorted(decode, reverse=True)


def test_factors_that_no_decode_can_make_up_for_are_left_out() -> None:
    points = frontier(lattice("load"), ASKED, np.array([1.0, 100.0]))
    assert [point.prefill_scale for point in points] == [1.0]


@pytest.mark.parametrize("name", ["indep", "load", "comon"])
@pytest.mark.parametrize("part", [0.0, 0.5, 0.9])
def test_less_prefill_than_the_common_factor_shifts_time_to_decode(name: str, part: float) -> None:
    sample = lattice(name)
    usual = allocate(sample, ASKED)
    assert usual.compute.scale is not None
    prefill = part * usual.compute.scale
    chosen = allocate(sample, ASKED, SplitRule(prefill_scale=prefill))
    assert sum(line.us for line in chosen.lines) == ASKED.target_us
    assert min(line.us for line in chosen.lines) >= 0
    lines, before = ({line.name: line.us for line in one.lines} for one in (chosen, usual))
    assert lines["prefill"] < before["prefill"]
    assert lines["decode"] > before["decode"]
    assert chosen.point is not None
    assert chosen.guard_limits_us[Hop.PREFILL] == pytest.approx(
        prefill * quantile_of(sample.hops[:, 5], ASKED.q)
    )


def test_the_point_at_the_common_scale_gives_the_usual_lines() -> None:
    sample = lattice("load")
    usual = allocate(sample, ASKED)
    assert usual.compute.scale is not None
    chosen = allocate(sample, ASKED, SplitRule(prefill_scale=usual.compute.scale))
    for line, other in zip(usual.lines, chosen.lines, strict=True):
        assert line.us == pytest.approx(other.us, abs=2)


def test_a_point_that_no_decode_can_make_up_for_has_no_lines() -> None:
    found = allocate(lattice("load"), ASKED, SplitRule(prefill_scale=100.0))
    assert found.lines == ()
    assert found.infeasible is not None


def test_prefill_and_decode_are_not_traded_when_one_is_locked_or_the_rule_is_another() -> None:
    locked = Question(5_000_000, 0.99, 0.1, {Hop.DECODE: 1_000_000})
    with pytest.raises(BudgetError, match="decode is locked"):
        allocate(lattice("load"), locked, SplitRule(prefill_scale=0.5))
    with pytest.raises(BudgetError, match="euler"):
        allocate(lattice("load"), ASKED, SplitRule(Strategy.PROPORTIONAL, prefill_scale=0.5))
