"""How the effective target is divided over the hops. Every rule has a name and says what it assumes."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.budget_question import HOP_INDEX, Question, Sample, hold
from budget_model.domain.euler import euler_bars_of
from budget_model.domain.exceedance import equal_exceedance, joint_coverage
from budget_model.domain.hops import Hop

Values = NDArray[np.float64]


class Strategy(StrEnum):
    """Names of the rules, as users type them."""

    EULER = "euler"
    EQUAL_EXCEEDANCE = "equal-exceedance"
    JOINT_COVERAGE = "joint-coverage"
    PROPORTIONAL = "proportional"
    COST_MINIMAL = "cost-minimal"
    TOKEN_NEED = "token-need"


STRATEGY_MEANING: dict[Strategy, str] = {
    Strategy.EULER: "Each hop gets what it takes in a tail request, once compute is scaled to fit.",
    Strategy.EQUAL_EXCEEDANCE: "Every line is exceeded equally often: for teams that share no request data.",
    Strategy.JOINT_COVERAGE: "If every hop keeps its line, the target holds for the asked share of requests.",
    Strategy.PROPORTIONAL: "Each hop gets a share in proportion to its mean time.",
    Strategy.COST_MINIMAL: "Compute is divided so that the cost of speed, weight over time, is least.",
    Strategy.TOKEN_NEED: "Decode gets what the asked answer length needs; prefill gets the rest of compute.",
}


def euler_shares(sample: Sample, question: Question, scale: float) -> Values:
    """Bars of the vectors (overhead, scale x compute) at q, stretched to the effective target.

    The default: shares say what a hop may take in a request at the percentile. When compute is
    not recorded at all, ``scale`` is infinite and the overhead's bars are stretched alone.
    """
    held = hold(sample, question.locks)
    factor = scale if math.isfinite(scale) else 1.0
    totals = held.overhead + factor * held.compute
    return _fill(euler_bars_of(lambda rows: held.rows(rows, factor), totals, question.q), question)


def equal_exceedance_shares(sample: Sample, question: Question, scale: float) -> Values | None:  # noqa: ARG001
    """Limits at one common level of each hop's own observed distribution, adding to the target."""
    free = _free(question)
    limits = equal_exceedance(
        sample.ranked().of(free).columns, question.effective_us - _locked_total(question)
    )
    return None if limits is None else _place(limits.limits, free, question)


def joint_coverage_shares(sample: Sample, question: Question, scale: float) -> Values | None:  # noqa: ARG001
    """The smallest common level at which a share q of requests keeps every limit; None if too long."""
    free = _free(question)
    key = ("joint coverage", tuple(free), question.q)
    limits = sample.remembered(key, lambda: joint_coverage(sample.ranked().of(free), question.q).limits)
    if limits.sum() + _locked_total(question) > question.effective_us:
        return None
    return _place(limits, free, question)


def proportional_shares(sample: Sample, question: Question, scale: float) -> Values:  # noqa: ARG001
    """Shares in proportion to mean stage time (the slack rule of GrandSLAm, EuroSys 2019)."""
    return _fill(sample.remembered("means", lambda: sample.hops.mean(axis=0)), question)


def cost_minimal_split(total: float, weights: tuple[float, float]) -> tuple[float, float]:
    """Prefill and decode shares of ``total`` that minimise sum weight_i / share_i.

    Setting the derivatives equal gives shares in proportion to the square roots of the weights;
    with (1, 4) and 3000 that is (1000, 2000). Weights must be > 0.
    """
    roots = math.sqrt(weights[0]), math.sqrt(weights[1])
    return total * roots[0] / sum(roots), total * roots[1] / sum(roots)


def resplit_compute(shares: Values, prefill_us: float, decode_us: float) -> Values:
    """The same shares with prefill and decode replaced."""
    changed = shares.copy()
    changed[HOP_INDEX[Hop.PREFILL]] = prefill_us
    changed[HOP_INDEX[Hop.DECODE]] = decode_us
    return changed


def _free(question: Question) -> list[int]:
    return [index for hop, index in HOP_INDEX.items() if hop not in question.locks]


def _locked_total(question: Question) -> int:
    return sum(question.locks.values())


def _place(values: Values, free: list[int], question: Question) -> Values:
    shares = np.zeros(len(HOP_INDEX))
    shares[free] = values
    for hop, lock_us in question.locks.items():
        shares[HOP_INDEX[hop]] = lock_us
    return shares


def _fill(weights: Values, question: Question) -> Values:
    free = _free(question)
    rest = question.effective_us - _locked_total(question)
    total = float(weights[free].sum())
    return _place(weights[free] * (rest / total if total > 0 else 0.0), free, question)


SHARES: dict[Strategy, Callable[[Sample, Question, float], Values | None]] = {
    Strategy.EULER: euler_shares,
    Strategy.EQUAL_EXCEEDANCE: equal_exceedance_shares,
    Strategy.JOINT_COVERAGE: joint_coverage_shares,
    Strategy.PROPORTIONAL: proportional_shares,
}
"""Rules that need nothing but the sample and the question."""
