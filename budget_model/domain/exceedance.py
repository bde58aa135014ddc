"""Limits from each hop's own distribution: equal exceedance and joint coverage."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Ranked:
    """Hop times by rank. Both of shape (n, k), a hop a column, contiguous by column.

    ``columns`` has every hop sorted by itself; ``ranks`` has each request's 1-based rank within the
    hop, in the requests' order, ties sharing the lowest.
    """

    columns: NDArray[Any]
    ranks: NDArray[np.int32]

    def of(self, hops: Sequence[int]) -> Ranked:
        """Some of the hops."""
        if len(hops) == self.columns.shape[1]:
            return self
        return Ranked(self.columns[:, hops], self.ranks[:, hops])


Each = Callable[[Callable[[NDArray[Any]], "RankedColumn"], Sequence[NDArray[Any]]], Iterable["RankedColumn"]]
"""How work is done on every column: ``map``, or the like over several threads."""

RankedColumn = tuple[NDArray[Any], NDArray[np.int32]]
"""One hop sorted, and the ranks of its values in their own order."""


def rank_column(values: NDArray[Any]) -> RankedColumn:
    """One hop's times, shape (n,), sorted and ranked."""
    order = np.argsort(values)
    ordered = values[order]
    places = np.arange(1, values.size + 1, dtype=np.int32)
    places[1:][ordered[1:] == ordered[:-1]] = 0  # a tie takes the rank of the first of its run
    ranks = np.empty_like(places)
    ranks[order] = np.maximum.accumulate(places)
    return ordered, ranks


def rank_hops(columns: Sequence[NDArray[Any]], each: Each = map) -> Ranked:
    """Rank the hops given as k >= 1 columns of shape (n,)."""
    shape = columns[0].size, len(columns)
    found = Ranked(np.empty(shape, columns[0].dtype, order="F"), np.empty(shape, np.int32, order="F"))
    for index, (ordered, ranks) in enumerate(each(rank_column, columns)):
        found.columns[:, index], found.ranks[:, index] = ordered, ranks
    return found


def interpolated_quantiles(columns: NDArray[Any], q: float) -> Values:
    """Linear (type 7) quantile of every sorted column; continuous in q, unlike the nearest rank."""
    position = (columns.shape[0] - 1) * q
    low = math.floor(position)
    high = min(low + 1, columns.shape[0] - 1)
    below, above = columns[[low, high]].astype(np.float64)
    limits: Values = below + (position - low) * (above - below)
    return limits


def equal_exceedance(columns: NDArray[Any], total: float) -> LevelLimits | None:
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


def joint_coverage(ranked: Ranked, q: float) -> LevelLimits:
    """The smallest level q' at which at least a share q of requests keep every hop's limit at once.

    A request keeps all limits at rank r when the largest of its per-hop ranks is <= r, so the level
    is the nearest-rank quantile q of that largest rank, divided by n: no search.
    """
    n = ranked.ranks.shape[0]
    worst = ranked.ranks.max(axis=1)
    place = nearest_rank(n, q) - 1
    rank = int(np.partition(worst, place)[place])
    return LevelLimits(rank / n, ranked.columns[rank - 1].astype(np.float64))
