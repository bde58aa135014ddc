"""The letter beside a percentile: may a verdict rest on it?"""

from __future__ import annotations

from budget_model.domain.order_interval import minimum_n

TRUSTED_N = 1000
TRUSTED_WIDTH = 0.15
USABLE_N = 368


def grade(value: float, low: float | None, high: float | None, n_eff: int, q: float) -> str:
    """A: at least 1000 effective values and an interval within 15 % of ``value``. B: at least 368
    and enough for a finite upper bound of ``q``. C: fewer; the number is shown but carries no verdict.
    """
    least = max(USABLE_N, minimum_n(q))
    if n_eff < least:
        return "C"
    if low is None or high is None or n_eff < TRUSTED_N:
        return "B"
    width = TRUSTED_WIDTH * value
    return "A" if high - value <= width and value - low <= width else "B"
