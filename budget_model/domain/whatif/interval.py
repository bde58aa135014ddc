"""How sure the effect of a change is: a block bootstrap of paired request vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.whatif.weighted import SLACK, Values

REPLICATES = 200
TAIL_REACH = 4
"""Only rows within this many times 1 - q of the top are resampled one by one; the rest are summed."""


@dataclass(frozen=True, slots=True)
class _Tail:
    totals: Values  # ascending
    weights: Values
    block: NDArray[np.int64]
    weight_below: Values  # per block
    block_weight: Values  # per block, all rows


def paired_difference(
    before: tuple[Values, Values, NDArray[np.int64]],
    after: tuple[Values, Values, NDArray[np.int64]],
    q: float,
    *,
    seed: int,
    replicates: int = REPLICATES,
) -> tuple[float, float]:
    """95 % percentile interval of the change in quantile q, in the unit of the totals.

    ``before`` and ``after`` are (totals, weights, block), each of shape (rows,); ``block`` numbers
    the time block of a row's request from 0. Whole blocks are drawn with replacement, the same
    for both sides, so that what a request has in common with itself cancels. Only differences of
    n >= 1000 requests in 20 or more blocks deserve this interval (see the guide on methods).
    """
    count = int(before[2].max()) + 1
    draws = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=replicates)
    tails = [_tail(*side, q, count) for side in (before, after)]
    changes = [_quantile(tails[1], drawn, q) - _quantile(tails[0], drawn, q) for drawn in draws]
    low, high = np.quantile(np.array(changes), (0.025, 0.975))
    return float(low), float(high)


def _tail(totals: Values, weights: Values, block: NDArray[np.int64], q: float, count: int) -> _Tail:
    order = np.argsort(totals, kind="stable")
    cumulated = np.cumsum(weights[order])
    cut = int(np.searchsorted(cumulated, max(0.0, 1 - TAIL_REACH * (1 - q)) * cumulated[-1]))
    below, top = order[:cut], order[cut:]
    return _Tail(
        totals[top],
        weights[top],
        block[top],
        np.bincount(block[below], weights[below], count).astype(np.float64),
        np.bincount(block, weights, count).astype(np.float64),
    )


def _quantile(tail: _Tail, drawn: NDArray[np.int64], q: float) -> float:
    cumulated = float(tail.weight_below @ drawn) + np.cumsum(tail.weights * drawn[tail.block])
    wanted = q * float(tail.block_weight @ drawn) * (1 - SLACK)
    position = min(int(np.searchsorted(cumulated, wanted, side="left")), cumulated.size - 1)
    return float(tail.totals[position])
