"""How far the compute part of every request may stretch before a percentile misses its target."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.quantiles import nearest_rank

Values = NDArray[np.float64]


def tolerated_scales(overhead: Values, compute: Values, target: float) -> Values:
    """Per request, the largest factor on its compute time that still meets ``target``.

    ``overhead`` and ``compute`` have shape (n,), any one unit, all >= 0. A request with no compute
    time tolerates any factor when its overhead fits and none otherwise, so the result is in
    [-inf, inf]; a negative value means the overhead alone misses the target.
    """
    room = target - overhead
    scales = np.full(room.shape, math.inf)
    scales[room < 0] = -math.inf
    np.divide(room, compute, out=scales, where=compute > 0)
    return scales


def largest_scale(overhead: Values, compute: Values, target: float, q: float) -> float:
    """The largest s for which the nearest-rank quantile q of overhead + s * compute is <= target.

    The quantile meets the target when at least k = ceil(n q) requests do, and request i does for
    every s up to its tolerated scale: so s is the k-th largest of those, exactly and without a
    search. Negative (or -inf) means no factor is small enough: the overhead alone misses.
    """
    n = overhead.size
    k = nearest_rank(n, q)
    scales = tolerated_scales(overhead, compute, target)
    return float(np.partition(scales, n - k)[n - k])
