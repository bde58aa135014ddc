"""Headroom that the sample's own uncertainty calls for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.quantiles import nearest_rank
from budget_model.domain.verdict import pass_most


def recommended_headroom(totals: NDArray[np.float64], q: float, failed: int = 0) -> float | None:
    """The share h for which keeping the target less h still passes a verdict on this sample.

    h = 1 - Q / U, where Q is the quantile at q of ``totals`` and of ``failed`` requests that are slower
    than any of them, n in all, and U the upper end of its one-sided 95 % interval: the value at rank
    n - k, with k the most exceedances that pass. ``totals`` has shape (n - failed,). None where there is
    no finite upper end: n is too small, or failures alone are more than pass.
    """
    n = totals.size + failed
    most = pass_most(n, q)
    if most is None or most < failed:
        return None
    ranks = nearest_rank(n, q) - 1, n - most - 1
    value, upper = np.partition(totals, ranks)[list(ranks)].tolist()
    return max(0.0, 1 - value / upper) if upper > 0 else 0.0
