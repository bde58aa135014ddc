"""Headroom that the sample's own uncertainty calls for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.quantiles import nearest_rank
from budget_model.domain.verdict import pass_most


def recommended_headroom(totals: NDArray[np.float64], q: float) -> float | None:
    """The share h for which keeping the target less h still passes a verdict on this sample.

    h = 1 - Q / U, where Q is the quantile at q of ``totals``, shape (n,), and U the upper end of
    its one-sided 95 % interval: the value at rank n - k, with k the most exceedances that pass.
    None when n is too small for any finite upper end.
    """
    most = pass_most(totals.size, q)
    if most is None:
        return None
    ranks = nearest_rank(totals.size, q) - 1, totals.size - most - 1
    value, upper = np.partition(totals, ranks)[list(ranks)].tolist()
    return max(0.0, 1 - value / upper) if upper > 0 else 0.0
