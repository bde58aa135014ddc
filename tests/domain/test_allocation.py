from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from budget_model.domain.allocation import SplitRule, allocate
from budget_model.domain.budget_question import Question, Sample
from budget_model.domain.hops import HOPS, Hop
from budget_model.domain.quantiles import quantile_of
from budget_model.domain.strategies import Strategy
from budget_model.errors import BudgetError
from tests.domain.lattices import lattice

TABLE = [
    ("indep", 5000, 2796.170, 3501.277, 1.021402, 4143.666, 425.681, 3688.175),
    ("load", 5000, 2796.170, 3501.277, 0.762631, 3634.046, 772.569, 2842.522),
    ("comon", 5000, 2796.170, 2796.170, 0.586797, 2796.170, 596.011, 2191.396),
    ("indep", 8000, 5496.170, 6201.277, 1.693813, 6871.530, 664.155, 6173.100),
    ("indep", 1500, -353.8, 351.277, 0.175685, 712.728, 56.773, 399.804),
]


def question(target_ms: float, headroom: float = 0.1, **locks_ms: float) -> Question:
    locks = {Hop(name): round(ms * 1000) for name, ms in locks_ms.items()}
    return Question(round(target_ms * 1000), 0.99, headroom, locks)


@pytest.mark.parametrize(("variant", "target", "naive", "det", "scale", "joint", "prefill", "decode"), TABLE)
def test_the_three_compute_budgets_and_the_default_lines_are_the_published_ones(
    variant: str,
    target: int,
    naive: float,
    det: float,
    scale: float,
    joint: float,
    prefill: float,
    decode: float,
) -> None:
    answer = allocate(lattice(variant), question(target))
    lines = {line.name: line.us / 1000 for line in answer.lines}
    assert answer.compute.naive_us / 1000 == pytest.approx(naive, rel=1e-3)
    assert answer.compute.deterministic_us / 1000 == pytest.approx(det, rel=1e-3)
    assert answer.compute.scale == pytest.approx(scale, rel=1e-5)
    assert answer.compute.joint_us is not None
    assert answer.compute.joint_us / 1000 == pytest.approx(joint, rel=1e-5)
    assert (lines["prefill"], lines["decode"]) == pytest.approx((prefill, decode), rel=1e-3)


def test_all_lines_of_the_independent_set_are_the_published_ones() -> None:
    lines = [line.us / 1000 for line in allocate(lattice("indep"), question(5000)).lines]
    published = [500, 17.693, 82.685, 13.274, 159.392, 90.994, 425.681, 3688.175, 22.106]
    assert lines == pytest.approx(published, rel=1e-3)


def test_overhead_that_alone_misses_the_target_is_infeasible_by_its_excess() -> None:
    answer = allocate(lattice("comon"), question(1500))
    assert answer.lines == ()
    assert answer.infeasible is not None
    assert answer.infeasible.shortfall_us / 1000 == pytest.approx(353.83, rel=1e-3)
    assert answer.infeasible.cut_first[0][0] is Hop.QUEUE
    again = allocate(lattice("comon"), Question(answer.infeasible.nearest_target_us, 0.99, 0.1))
    assert again.infeasible is None


def test_the_nearest_headroom_makes_the_same_target_feasible() -> None:
    answer = allocate(lattice("comon"), question(1800))
    assert answer.infeasible is not None
    assert answer.infeasible.nearest_headroom is not None
    eased = Question(1_800_000, 0.99, answer.infeasible.nearest_headroom - 1e-6)
    assert allocate(lattice("comon"), eased).infeasible is None


def test_guard_limits_are_own_percentiles_of_what_each_hop_may_take() -> None:
    limits = allocate(lattice("load"), question(5000)).guard_limits_us
    assert limits[Hop.PREFILL] / 1000 == pytest.approx(775.727, rel=1e-4)
    assert limits[Hop.DECODE] / 1000 == pytest.approx(2858.319, rel=1e-4)


def test_equal_exceedance_gives_the_published_limits() -> None:
    answer = allocate(lattice("indep"), question(5000), SplitRule(Strategy.EQUAL_EXCEEDANCE))
    limits = [line.us / 1000 for line in answer.lines[1:]]
    assert limits == pytest.approx([34.08, 215.68, 28.44, 348.52, 272.61, 703.98, 2843.94, 52.73], rel=1e-3)


def test_joint_coverage_leaves_what_it_does_not_need_to_the_headroom() -> None:
    answer = allocate(lattice("comon"), question(10_000), SplitRule(Strategy.JOINT_COVERAGE))
    assert sum(line.us for line in answer.lines[1:]) / 1000 == pytest.approx(6468.97, rel=1e-4)
    assert sum(line.us for line in answer.lines) == 10_000_000


def test_cost_minimal_divides_compute_by_the_roots_of_the_weights() -> None:
    rule = SplitRule(Strategy.COST_MINIMAL, cost_weights=(1.0, 4.0))
    lines = {line.name: line.us for line in allocate(lattice("load"), question(5000), rule).lines}
    assert lines["decode"] / lines["prefill"] == pytest.approx(2, rel=1e-5)


def test_a_token_need_beyond_the_compute_budget_is_infeasible() -> None:
    rule = SplitRule(Strategy.TOKEN_NEED, decode_us=5_000_000)
    assert allocate(lattice("load"), question(5000), rule).infeasible is not None
    rule = SplitRule(Strategy.TOKEN_NEED, decode_us=3_000_000)
    lines = {line.name: line.us for line in allocate(lattice("load"), question(5000), rule).lines}
    assert lines["decode"] == pytest.approx(3_000_000, abs=1)


def test_a_locked_hop_keeps_its_contract_and_the_rest_still_adds_up() -> None:
    answer = allocate(lattice("load"), question(5000, retrieval=400))
    lines = {line.name: line for line in answer.lines}
    assert lines["retrieval"].us == 400_000
    assert lines["retrieval"].locked
    assert sum(line.us for line in answer.lines) == 5_000_000


@pytest.mark.parametrize(
    ("target_us", "q", "headroom"),
    [
        (0, 0.99, 0.1),
        (-5, 0.99, 0.1),
        (5000, 0.0, 0.1),
        (5000, 1.0, 0.1),
        (5000, 0.99, 1.0),
        (5000, 0.99, -0.1),
    ],
)
def test_a_question_without_sense_is_refused(target_us: int, q: float, headroom: float) -> None:
    with pytest.raises(BudgetError):
        Question(target_us, q, headroom)


def test_one_request_is_too_few_to_divide_a_target_over() -> None:
    with pytest.raises(BudgetError, match="too few"):
        allocate(Sample(np.ones((1, len(HOPS))), np.ones(len(HOPS), dtype=np.int64)), question(5000))


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    """Independent, common load, comonotone, heavy tailed, atoms and ties."""
    n = draw(st.integers(2, 400))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    load = rng.exponential(1, (n, 1))
    family = draw(st.sampled_from(["independent", "load", "comonotone", "heavy", "atoms", "ties"]))
    hops: NDArray[np.floating[Any]]
    match family:
        case "independent":
            hops = rng.exponential(1e5, (n, 10))
        case "load":
            hops = load * rng.lognormal(11.5, 0.3, (n, 10))
        case "comonotone":
            hops = 1e5 * load * np.arange(1, 11)
        case "heavy":
            hops = 1e4 * rng.pareto(1.1, (n, 10))
        case "atoms":
            hops = np.where(rng.random((n, 10)) < 0.01, 1e6, 1e4)
        case _:
            hops = rng.integers(1, 4, (n, 10)) * 1e5
    return Sample(np.round(np.minimum(hops, 1e12)).astype(np.float64), np.full(10, n))


QUESTIONS = st.builds(
    Question,
    target_us=st.integers(1000, 10**9),
    q=st.sampled_from([0.5, 0.9, 0.95, 0.99, 0.999]),
    headroom=st.sampled_from([0.0, 0.05, 0.1, 0.333, 0.9]),
)


@settings(max_examples=150, deadline=None)
@given(
    samples(), QUESTIONS, st.sampled_from([Strategy.EULER, Strategy.EQUAL_EXCEEDANCE, Strategy.PROPORTIONAL])
)
def test_lines_and_headroom_add_to_the_target_exactly_and_none_is_negative(
    sample: Sample, asked: Question, strategy: Strategy
) -> None:
    answer = allocate(sample, asked, SplitRule(strategy))
    if answer.infeasible is None:
        assert sum(line.us for line in answer.lines) == asked.target_us
        assert sum(line.printed_ms for line in answer.lines) == round(asked.target_us / 1000)
        assert min(line.us for line in answer.lines) >= 0
        assert min(line.printed_ms for line in answer.lines) >= 0
    else:
        assert answer.lines == ()


@settings(max_examples=150, deadline=None)
@given(samples(), QUESTIONS)
def test_the_scale_is_the_largest_that_meets_the_effective_target(sample: Sample, asked: Question) -> None:
    scale = allocate(sample, asked).compute.scale
    compute = sample.hops[:, 5:7].sum(axis=1)
    overhead = sample.hops.sum(axis=1) - compute
    if scale is None:
        assert quantile_of(overhead, asked.q) > asked.effective_us
        return
    limit = asked.effective_us * (1 + 1e-9)
    assert quantile_of(overhead + scale * compute, asked.q) <= limit
    assert quantile_of(overhead + (scale * (1 + 1e-6) + 1e-9) * compute, asked.q) > asked.effective_us * (
        1 - 1e-9
    )


@settings(max_examples=100, deadline=None)
@given(samples(), QUESTIONS, st.integers(1, 10**8))
def test_a_larger_target_never_asks_for_faster_compute(sample: Sample, asked: Question, more_us: int) -> None:
    larger = Question(asked.target_us + more_us, asked.q, asked.headroom)
    before, after = allocate(sample, asked).compute.scale, allocate(sample, larger).compute.scale
    assert before is None or (after is not None and after >= before)


@settings(max_examples=100, deadline=None)
@given(samples(), QUESTIONS)
def test_more_headroom_never_leaves_more_for_compute(sample: Sample, asked: Question) -> None:
    tighter = Question(asked.target_us, asked.q, (1 + asked.headroom) / 2)
    before, after = allocate(sample, asked).compute.scale, allocate(sample, tighter).compute.scale
    assert after is None or (before is not None and after <= before)
