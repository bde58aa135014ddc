"""Distribution-free confidence intervals of a quantile: two ranks of the sample itself.

Nothing is assumed of the latency distribution: how many of n independent values lie at or below the
true q-quantile is Bin(n, q). (David and Nagaraja, *Order Statistics*, 3rd ed., section 7.1.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from budget_model.domain import binomial

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class RankInterval:
    """1-based ranks of the interval's ends; None where the sample is too small to bound that side."""

    low: int | None
    high: int | None


@lru_cache(maxsize=8192)
def rank_interval(n: int, q: float, confidence: float = CONFIDENCE) -> RankInterval:
    """Ranks whose values enclose the true ``q``-quantile with at least ``confidence``.

    ``low`` is the largest l with P(Bin(n,q) <= l-1) <= a/2 and ``high`` the smallest u <= n with
    P(Bin(n,q) >= u) <= a/2, where a = 1 - confidence.
    """
    tail = (1 - confidence) / 2
    low = binomial.largest_with_lower_tail(n, q, tail)
    high = binomial.smallest_with_upper_tail(n, q, tail)
    return RankInterval(None if low is None else low + 1, high if high <= n else None)


def effective_rank_interval(n: int, n_eff: int, q: float, confidence: float = CONFIDENCE) -> RankInterval:
    """The interval for ``n`` dependent values worth ``n_eff <= n`` independent ones.

    Ranks of the smaller sample are stretched to ``n``, and never lie inside those of independence:
    ranks being whole, stretching alone could narrow by one.
    """
    plain = rank_interval(n, q, confidence)
    if n_eff >= n:
        return plain
    fewer = rank_interval(n_eff, q, confidence)
    low = high = None
    if plain.low is not None and fewer.low is not None:
        low = max(1, min(plain.low, fewer.low * n // n_eff))
    if plain.high is not None and fewer.high is not None:
        high = min(n, max(plain.high, -(-fewer.high * n // n_eff)))
    return RankInterval(low, high)


def coverage(n: int, q: float, interval: RankInterval) -> float:
    """P(the true ``q``-quantile lies inside): P(low <= Bin(n, q) < high)."""
    low, high = interval.low or 0, n + 1 if interval.high is None else interval.high
    return binomial.cdf(high - 1, n, q) - (binomial.cdf(low - 1, n, q) if low else 0.0)


def minimum_n(q: float, confidence: float = CONFIDENCE, *, two_sided: bool = True) -> int:
    """Fewest independent values that give the ``q``-quantile a finite upper bound: q^n <= a."""
    tail = (1 - confidence) / (2 if two_sided else 1)
    return math.ceil(math.log(tail) / math.log(q) - 1e-9)
