"""Monotone regression by pooling adjacent violators, and reading a budget off its curve."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def isotonic(values: Values, weights: Values | None = None) -> Values:
    """The non-decreasing sequence nearest to ``values`` in weighted least squares, shape (n,).

    Pool adjacent violators (Ayer et al. 1955; Barlow et al. 1972): blocks whose mean falls are
    merged until none does. Latency curves measured point by point are often not monotone; a rule
    read off the raw points would depend on the noise.
    """
    counts = np.ones(values.size) if weights is None else weights
    means: list[float] = []
    masses: list[float] = []
    lengths: list[int] = []
    for value, mass in zip(values.tolist(), counts.tolist(), strict=True):
        means.append(value)
        masses.append(mass)
        lengths.append(1)
        while len(means) > 1 and means[-2] > means[-1]:
            _merge_last_two(means, masses, lengths)
    return np.repeat(np.array(means), lengths)


def _merge_last_two(means: list[float], masses: list[float], lengths: list[int]) -> None:
    mass = masses[-2] + masses[-1]
    mean = (means[-2] * masses[-2] + means[-1] * masses[-1]) / mass
    length = lengths[-2] + lengths[-1]
    for pile in (means, masses, lengths):
        pile.pop()
    means[-1], masses[-1], lengths[-1] = mean, mass, length


def largest_argument(xs: Values, curve: Values, limit: float) -> float | None:
    """The largest x, within the measured range, whose interpolated curve value is <= ``limit``.

    ``xs`` rises strictly and ``curve`` does not fall, both shape (n,). None when even the smallest
    measured x exceeds the limit; the largest measured x when the whole curve is below it: nothing
    is extrapolated.
    """
    if curve[0] > limit:
        return None
    above = np.flatnonzero(curve > limit)
    if above.size == 0:
        return float(xs[-1])
    right = int(above[0])
    left = right - 1
    share = (limit - curve[left]) / (curve[right] - curve[left])
    return float(xs[left] + share * (xs[right] - xs[left]))
