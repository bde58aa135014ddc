"""Hop bars that add up to an end-to-end percentile: windowed concomitants, rescaled.

The Euler contribution of hop i to the q-quantile of a sum is E[X_i | S = Q_q(S)] (Tasche, "Capital
Allocation to Business Units and Sub-Portfolios: the Euler Principle", arXiv:0708.2542). It is
estimated by the mean hop vector of the requests ranked around the quantile, scaled to meet it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.quantiles import nearest_rank

WINDOW_SHARE = 0.005


@dataclass(frozen=True, slots=True)
class RankWindow:
    """Ranks ``rank - half_width`` to ``rank + half_width`` (1-based) of requests sorted by e2e."""

    rank: int
    half_width: int

    @property
    def first(self) -> int:
        """Lowest rank inside."""
        return self.rank - self.half_width

    @property
    def last(self) -> int:
        """Highest rank inside."""
        return self.rank + self.half_width


@dataclass(frozen=True, slots=True)
class TailBars:
    """``bars`` (shape (hops,)) add to the quantile; ``factor`` is what the window's mean was scaled by."""

    bars: NDArray[np.float64]
    window_mean: float
    factor: float


def rank_window(n: int, q: float) -> RankWindow:
    """Half a percent of ``n`` to either side (at least 2), cut so that both sides stay equal."""
    k = nearest_rank(n, q)
    wanted = max(2, math.floor(WINDOW_SHARE * n + 0.5))
    return RankWindow(k, min(wanted, n - k, k - 1))


def tail_bars(parts: NDArray[Any], total: float) -> TailBars:
    """Bars for ``total`` (the quantile) from the hop times of the window's requests.

    ``parts`` has shape (requests, hops), in the unit of ``total``; a hop not recorded counts 0 here
    because the recorded ones already add to the request's end-to-end time.
    """
    means = np.asarray(parts, np.float64).mean(axis=0)
    window_mean = float(means.sum())
    factor = total / window_mean if window_mean > 0 else 1.0
    return TailBars(means * factor, window_mean, factor)
