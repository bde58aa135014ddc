"""Euler bars of any quantile of the requests' totals, from the hop matrix in memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.tail import RankWindow, rank_window, tail_bars

Values = NDArray[np.float64]


def rows_in_window(totals: Values, window: RankWindow) -> NDArray[np.int64]:
    """Rows ranked ``window.first`` to ``window.last`` by total, ties by row; only they are sorted."""
    ends = np.partition(totals, (window.first - 1, window.last - 1))
    low, high = ends[window.first - 1], ends[window.last - 1]
    near = np.flatnonzero((totals >= low) & (totals <= high))
    ordered = near[np.argsort(totals[near], kind="stable")]
    skipped = window.first - 1 - int(np.count_nonzero(totals < low))
    return ordered[skipped : skipped + 2 * window.half_width + 1]


def euler_bars(hops: Values, totals: Values, q: float) -> Values:
    """Contributions of each hop to the quantile q of the totals, shape (k,); they add to it.

    ``hops`` has shape (n, k) and ``totals`` shape (n,) is its row sum.
    """
    return euler_bars_of(lambda rows: hops[rows], totals, q)


def euler_bars_of(parts: Callable[[NDArray[np.int64]], Values], totals: Values, q: float) -> Values:
    """The same for hop vectors that are only worked out, by ``parts``, for the rows that matter."""
    window = rank_window(totals.size, q)
    rows = rows_in_window(totals, window)
    value = float(totals[rows[window.half_width]])
    return tail_bars(parts(rows), value).bars
