"""From a target to a budget line per hop, or to the reason why there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from budget_model.domain.budget_lines import Line, budget_lines
from budget_model.domain.budget_question import HOP_INDEX, Question, Sample, hold
from budget_model.domain.chosen_point import point_at, point_shares
from budget_model.domain.compute_budget import ComputeBudgets, compute_budgets
from budget_model.domain.euler import euler_bars, euler_bars_of
from budget_model.domain.frontier import FrontierPoint
from budget_model.domain.headroom import recommended_headroom
from budget_model.domain.hops import HOPS, Hop
from budget_model.domain.quantiles import quantile_of
from budget_model.domain.strategies import (
    SHARES,
    Strategy,
    Values,
    cost_minimal_split,
    euler_shares,
    resplit_compute,
)
from budget_model.errors import BudgetError


@dataclass(frozen=True, slots=True)
class SplitRule:
    """A strategy and what the rules that need more than the sample are given.

    ``cost_weights`` are the costs of prefill and decode per unit of speed; ``decode_us`` is the
    time the asked answer length needs (output tokens less one, times TPOT). ``prefill_scale`` is the
    chosen point of the frontier for the default strategy: prefill at so many times today's time,
    decode at the most that leaves it; None for one factor on both.
    """

    strategy: Strategy = Strategy.EULER
    cost_weights: tuple[float, float] = (1.0, 1.0)
    decode_us: float | None = None
    prefill_scale: float | None = None


@dataclass(frozen=True, slots=True)
class Infeasible:
    """Why no budget exists and what would make one.

    ``shortfall_us`` is how much the overhead alone (or the strategy's limits) exceeds the
    effective target. ``cut_first`` are overhead hops by their share of that excess percentile,
    largest first. ``nearest_target_us`` keeps the headroom; ``nearest_headroom`` keeps the
    target, None when even no headroom is not enough.
    """

    shortfall_us: float
    cut_first: tuple[tuple[Hop, float], ...]
    nearest_target_us: int
    nearest_headroom: float | None


@dataclass(frozen=True, slots=True)
class Allocation:
    """The answer to one question. ``lines`` is empty exactly when ``infeasible`` is given."""

    question: Question
    n: int
    observed_us: float  # e2e quantile of the sample as it is
    observed_bars_us: Values  # shape (10,), adds to observed_us
    compute: ComputeBudgets
    lines: tuple[Line, ...]
    guard_limits_us: dict[Hop, float]  # own quantile of what each hop may take: not additive
    recommended_headroom: float | None
    infeasible: Infeasible | None
    point: FrontierPoint | None = None  # the chosen trade of prefill against decode, if one was asked


def allocate(sample: Sample, question: Question, rule: SplitRule | None = None) -> Allocation:
    """Divide ``question.target_us`` over the hops of ``sample`` (n >= 2).

    Raises BudgetError when the sample is too small to have a percentile at all, and for a chosen
    point where prefill and decode cannot be traded.
    """
    if sample.n < 2:
        raise BudgetError(
            f"{sample.n} finished requests are too few to divide a target over; at least 2 are needed"
        )
    chosen = rule or SplitRule()
    totals, q = sample.totals(), question.q
    compute = compute_budgets(sample, question)
    point = _point(sample, question, chosen)
    shares = _shares(sample, question, chosen, compute, point)
    return Allocation(
        question=question,
        n=sample.n,
        observed_us=sample.remembered(("e2e", q), lambda: quantile_of(totals, q)),
        observed_bars_us=sample.remembered(("bars", q), lambda: euler_bars(sample.hops, totals, q)),
        compute=compute,
        lines=() if shares is None else budget_lines(sample, question, shares.tolist()),
        guard_limits_us={} if shares is None else _guard_limits(sample, question, compute, point),
        recommended_headroom=sample.remembered(("headroom", q), lambda: recommended_headroom(totals, q)),
        infeasible=_infeasible(sample, question, compute) if shares is None else None,
        point=point,
    )


def _point(sample: Sample, question: Question, rule: SplitRule) -> FrontierPoint | None:
    if rule.prefill_scale is None:
        return None
    if rule.strategy is not Strategy.EULER:
        raise BudgetError(f"a chosen point of prefill against decode is for {Strategy.EULER} alone")
    return point_at(sample, question, rule.prefill_scale)


def _shares(
    sample: Sample,
    question: Question,
    rule: SplitRule,
    compute: ComputeBudgets,
    point: FrontierPoint | None,
) -> Values | None:
    if compute.scale is None:
        return None
    if rule.prefill_scale is not None:
        return None if point is None else point_shares(sample, question, point)
    simple = SHARES.get(rule.strategy)
    if simple is not None:
        return simple(sample, question, compute.scale)
    base = euler_shares(sample, question, compute.scale)
    total = float(base[[HOP_INDEX[Hop.PREFILL], HOP_INDEX[Hop.DECODE]]].sum())
    if rule.strategy is Strategy.COST_MINIMAL:
        return resplit_compute(base, *cost_minimal_split(total, rule.cost_weights))
    if rule.decode_us is None:
        raise BudgetError(
            "the token-need rule wants an answer length; give the output tokens it must pay for"
        )
    return None if rule.decode_us > total else resplit_compute(base, total - rule.decode_us, rule.decode_us)


def _guard_limits(
    sample: Sample, question: Question, compute: ComputeBudgets, point: FrontierPoint | None
) -> dict[Hop, float]:
    held = hold(sample, question.locks)
    scale = compute.scale if compute.scale is not None and math.isfinite(compute.scale) else 1.0
    stretch = {HOPS[index]: scale for index in held.scaled}
    if point is not None:
        stretch = {Hop.PREFILL: point.prefill_scale, Hop.DECODE: point.decode_scale}
    return {
        hop: held.own_quantile(hop, question.q) * stretch.get(hop, 1.0)
        for hop in HOPS
        if held.is_recorded(hop)
    }


def _infeasible(sample: Sample, question: Question, compute: ComputeBudgets) -> Infeasible:
    held = hold(sample, question.locks)
    bars = euler_bars_of(lambda rows: held.rows(rows, 0.0), held.overhead, question.q)
    order = [index for index in np.argsort(-bars, kind="stable") if bars[index] > 0]
    needed = compute.overhead_quantile_us
    return Infeasible(
        shortfall_us=max(0.0, needed - question.effective_us),
        cut_first=tuple((HOPS[index], float(bars[index])) for index in order),
        nearest_target_us=math.ceil(needed / (1 - question.headroom)),
        nearest_headroom=1 - needed / question.target_us if needed <= question.target_us else None,
    )
