"""Lines for one chosen point of the frontier: prefill and decode each with a factor of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.budget_question import HOP_INDEX, Question, Sample, hold
from budget_model.domain.euler import euler_bars_of
from budget_model.domain.frontier import FrontierPoint, frontier
from budget_model.domain.hops import COMPUTE_HOPS, Hop
from budget_model.errors import BudgetError

Values = NDArray[np.float64]


def point_at(sample: Sample, question: Question, prefill_scale: float) -> FrontierPoint | None:
    """The point with prefill at ``prefill_scale`` times today's; None when no decode meets the target.

    Raises BudgetError when prefill or decode is locked or not recorded: then one does not pay for the
    other.
    """
    held = [hop for hop in COMPUTE_HOPS if hop in question.locks]
    if held:
        raise BudgetError(f"{held[0]} is locked, so prefill and decode cannot be traded; let it go first")
    missing = [hop for hop in COMPUTE_HOPS if not sample.is_recorded(hop)]
    if missing:
        raise BudgetError(f"{missing[0]} is not recorded, so prefill and decode cannot be traded")
    found = frontier(sample, question, np.array([prefill_scale]))
    return found[0] if found and np.isfinite(found[0].decode_scale) else None


def point_shares(sample: Sample, question: Question, point: FrontierPoint) -> Values:
    """Euler bars of the e2e quantile with every request's prefill and decode at the point's factors.

    They are stretched by what the rank leaves open, so that they add to the effective target.
    """
    held = hold(sample, question.locks)
    factors = np.array([point.prefill_scale, point.decode_scale])
    prefill, decode = (sample.hops[:, HOP_INDEX[hop]] for hop in (Hop.PREFILL, Hop.DECODE))
    totals = held.overhead + factors[0] * prefill + factors[1] * decode
    bars = euler_bars_of(lambda rows: held.rows(rows, factors), totals, question.q)
    locked = [HOP_INDEX[hop] for hop in question.locks]
    free = np.delete(np.arange(bars.size), locked)
    rest = question.effective_us - float(bars[locked].sum())
    bars[free] *= rest / float(bars[free].sum())
    return bars
