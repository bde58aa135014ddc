"""Nearest-rank quantiles: the value shown is always one that was measured."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.integer[Any]]

RANK_SLACK = 1e-9
"""Taken off ``n*q`` so that float noise (100 * 0.07 = 7.000000000000001) does not move a rank up."""


def percentile_name(q: float) -> str:
    """A quantile's usual name; it never rounds up to p100, which is the maximum.

    >>> [percentile_name(q) for q in (0.5, 0.999, 0.999999999, 0.9999999999999)]
    ['p50', 'p99.9', 'p99.9999999', 'p99.99999999999']
    """
    for digits in range(10, 17):
        name = f"{q * 100:.{digits}g}"
        if float(name) < 100:
            break
    return f"p{name}"


def nearest_rank(n: int, q: float) -> int:
    """The 1-based rank ``k = ceil(n*q)`` of quantile ``q`` (0 < q < 1) among ``n >= 1`` values.

    Raises ValueError for an empty sample or a ``q`` outside (0, 1).
    """
    if n < 1 or not 0 < q < 1:
        raise ValueError(f"no rank for q={q} of {n} values; n >= 1 and 0 < q < 1 are accepted")
    return min(n, max(1, math.ceil(n * q - RANK_SLACK)))


def quantile(ordered: Integers, q: float) -> int:
    """The nearest-rank quantile of values sorted ascending, shape (n,), n >= 1."""
    return int(ordered[nearest_rank(len(ordered), q) - 1])


def weighted_quantile(ordered: Integers, cumulated: Integers, q: float) -> int:
    """The nearest-rank quantile where value ``i`` stands ``weight[i]`` times.

    ``ordered`` are the values ascending and ``cumulated`` their running whole-number weights,
    both of shape (n,).
    """
    rank = nearest_rank(int(cumulated[-1]), q)
    return value_at_rank(ordered, cumulated, rank)


def value_at_rank(ordered: Integers, cumulated: Integers, rank: int) -> int:
    """The value at 1-based ``rank`` of a weighted sample (see ``weighted_quantile``)."""
    return int(ordered[int(np.searchsorted(cumulated, rank, side="left"))])


def quantile_of(values: NDArray[Any], q: float) -> float:
    """The nearest-rank quantile of unsorted values, shape (n,), n >= 1."""
    k = nearest_rank(values.size, q)
    return float(np.partition(values, k - 1)[k - 1])
