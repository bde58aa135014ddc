"""The binomial distribution, exact to float precision, for up to ten million trials.

Probabilities are built outwards from the mode by the ratio of neighbours and divided by their sum,
so nothing is lost to the cancellation of large log-gammas.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_SPREADS = 10
_LEAST_REACH = 80
_HALVINGS = 48


_Window = tuple[int, NDArray[np.float64], NDArray[np.float64]]


@lru_cache(maxsize=4096)
def _distribution(n: int, p: float) -> _Window:
    return _window(n, p)


def _window(n: int, p: float) -> _Window:
    """First outcome of the window that holds all the mass floats can tell, with P(X<=x), P(X>=x)."""
    mode = min(n, math.floor((n + 1) * p))
    reach = math.ceil(_SPREADS * math.sqrt(n * p * (1 - p))) + _LEAST_REACH
    first, last = max(0, mode - reach), min(n, mode + reach)
    x = np.arange(first, last, dtype=np.float64)
    steps = np.log((n - x) / (x + 1) * (p / (1 - p)))
    logs = np.concatenate(([0.0], np.cumsum(steps)))
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    return first, np.cumsum(weights), np.cumsum(weights[::-1])[::-1]


def _check(n: int, p: float) -> None:
    if n < 0 or not 0 < p < 1:
        raise ValueError(f"no binomial distribution for n={n}, p={p}; n >= 0 and 0 < p < 1 are accepted")


def cdf(x: int, n: int, p: float) -> float:
    """P(Bin(n, p) <= x). Raises ValueError for n < 0 or p outside (0, 1)."""
    _check(n, p)
    first, below, _ = _distribution(n, p)
    if x < first:
        return 0.0
    return min(1.0, float(below[min(x - first, len(below) - 1)]))


def survival(x: int, n: int, p: float) -> float:
    """P(Bin(n, p) >= x), summed from the far tail so that small values keep their digits."""
    _check(n, p)
    first, _, above = _distribution(n, p)
    if x <= first:
        return 1.0
    return float(above[x - first]) if x - first < len(above) else 0.0


def quantile(probability: float, n: int, p: float) -> int:
    """The smallest x with P(Bin(n, p) <= x) >= ``probability`` (0 < probability < 1)."""
    _check(n, p)
    first, below, _ = _distribution(n, p)
    return min(n, first + int(np.searchsorted(below, probability, side="left")))


def largest_with_lower_tail(n: int, p: float, tail: float) -> int | None:
    """The largest x with P(Bin(n, p) <= x) <= ``tail``; None when even x = 0 exceeds it."""
    _check(n, p)
    first, below, _ = _distribution(n, p)
    x = first - 1 + int(np.searchsorted(below, tail, side="right"))
    return x if x >= 0 else None


def smallest_with_upper_tail(n: int, p: float, tail: float) -> int:
    """The smallest x with P(Bin(n, p) >= x) <= ``tail``; ``n + 1`` when no outcome qualifies."""
    _check(n, p)
    first, _, above = _distribution(n, p)
    kept = int(np.searchsorted(above[::-1], tail, side="right"))
    return first + len(above) - kept


def proportion_interval(k: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The exact interval of a probability of which ``k`` of ``n`` >= 1 trials came true.

    Clopper and Pearson (Biometrika, 1934): the ends are the probabilities at which so many, or so
    few, have chance (1 - confidence) / 2. Raises ValueError unless 0 <= k <= n.
    """
    if n < 1 or not 0 <= k <= n:
        raise ValueError(f"no interval for {k} of {n}; 0 <= k <= n and n >= 1 are accepted")
    tail = (1 - confidence) / 2
    low = 0.0 if k == 0 else _bisected(lambda p: _at_least(k, n, p) > tail, k / n, 0.0)
    high = 1.0 if k == n else _bisected(lambda p: _at_most(k, n, p) > tail, k / n, 1.0)
    return low, high


def _bisected(holds: Callable[[float], bool], inside: float, outside: float) -> float:
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return outside


def _at_least(k: int, n: int, p: float) -> float:
    if not 0 < p < 1:
        return float(p >= 1)
    first, _, above = _window(n, p)
    return 1.0 if k <= first else float(above[k - first]) if k - first < len(above) else 0.0


def _at_most(k: int, n: int, p: float) -> float:
    if not 0 < p < 1:
        return float(p <= 0)
    first, below, _ = _window(n, p)
    return 0.0 if k < first else float(below[min(k - first, len(below) - 1)])
