"""Limits from each hop's own distribution: equal exceedance and joint coverage."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.quantiles import nearest_rank

Values = NDArray[np.float64]

_STEPS = 200


@dataclass(frozen=True, slots=True)
class LevelLimits:
    """One limit per hop, all at the same level of the hop's own distribution."""

    level: float
    limits: Values  # shape (k,)


def sorted_columns(hops: Values) -> Values:
    """The hop matrix, shape (n, k), with every column sorted by itself."""
    return np.sort(hops, axis=0)


def interpolated_quantiles(columns: Values, q: float) -> Values:
    """Linear (type 7) quantile of every sorted column; continuous in q, unlike the nearest rank."""
    position = (columns.shape[0] - 1) * q
    low = math.floor(position)
    high = min(low + 1, columns.shape[0] - 1)
    limits: Values = columns[low] + (position - low) * (columns[high] - columns[low])
    return limits


def equal_exceedance(columns: Values, total: float) -> LevelLimits | None:
    """Limits b_i = Q_q*(X_i) that add to ``total``, every hop exceeded equally often.

    It solves min sum E[(X_i - b_i)+] subject to sum b_i = total, and the minimum bounds
    E[(S - total)+] under any dependence (Dhaene et al. 2002), so it suits teams that share no
    request vectors. ``columns`` has shape (n, k), sorted. None when even the smallest values add
    to more than ``total``; above the sum of the largest, the rest is spread in proportion.
    """
    lowest, highest = columns[0].sum(), columns[-1].sum()
    if total < lowest:
        return None
    if total >= highest:
        scale = total / highest if highest > 0 else 0.0
        return LevelLimits(
            1.0, columns[-1] * scale if highest > 0 else columns[-1] + total / columns.shape[1]
        )
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if interpolated_quantiles(columns, middle).sum() <= total:
            low = middle
        else:
            high = middle
    return LevelLimits(low, interpolated_quantiles(columns, low))


def joint_coverage(hops: Values, columns: Values, q: float) -> LevelLimits:
    """The smallest level q' at which at least a share q of requests keep every hop's limit at once.

    ``hops`` has shape (n, k) and ``columns`` is the same matrix sorted by column. A request keeps
    all limits at rank r when the largest of its per-hop ranks (ties take the lowest) is <= r, so
    the level is the nearest-rank quantile q of that largest rank, divided by n: no search.
    """
    n = hops.shape[0]
    k = nearest_rank(n, q)
    # Only requests with a hop above its own quantile q can have a rank above k, and there are few.
    above = np.flatnonzero((hops > columns[k - 1]).any(axis=1))
    inside = n - above.size
    worst = _worst_ranks(hops[above], columns) if inside < k else _worst_ranks(hops, columns)
    place = k - inside if inside < k else k
    rank = int(np.partition(worst, place - 1)[place - 1])
    return LevelLimits(rank / n, columns[rank - 1].copy())


def _worst_ranks(hops: Values, columns: Values) -> NDArray[np.int64]:
    ranks = np.zeros(hops.shape[0], dtype=np.int64)
    for index in range(hops.shape[1]):
        own = np.searchsorted(columns[:, index], hops[:, index], side="left") + 1
        np.maximum(ranks, own, out=ranks)
    return ranks
