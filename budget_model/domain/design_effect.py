"""How many independent requests a sample in time order is worth.

Latency comes in episodes: slow requests follow slow requests. The spread of the exceedance rate over
blocks of time shows it, as the survey statistician's design effect (Kish, *Survey Sampling*, 1965).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCKS = 20
LEAST_BLOCK = 5
"""Fewest values in one block; below 100 timed values no design effect is attempted."""


@dataclass(frozen=True, slots=True)
class DesignEffect:
    """``effect`` is the variance of block rates over that of independent values; ``n_eff`` follows.

    ``blocks`` is 0 when the effect could not be measured and independence was taken for granted.
    """

    blocks: int
    effect: float
    n_eff: int


def independent(n: int) -> DesignEffect:
    """The answer when nothing is known of the order in time."""
    return DesignEffect(0, 1.0, n)


def design_effect(values: NDArray[Any], threshold: float, n: int | None = None) -> DesignEffect:
    """The design effect of exceeding ``threshold`` among ``values`` in time order, shape (t,).

    ``n`` is the size of the whole sample when only ``t`` of it carry a time. The effect is
    var(block rates) / (p(1-p)/block size) over 20 blocks of equal count; n_eff = n / max(1, effect).
    """
    whole = len(values) if n is None else n
    if len(values) < BLOCKS * LEAST_BLOCK:
        return independent(whole)
    edges = np.linspace(0, len(values), BLOCKS + 1).astype(np.int64)
    above = [int(np.count_nonzero(values[a:b] > threshold)) for a, b in pairwise(edges)]
    return from_blocks(np.asarray(above, np.float64), np.diff(edges).astype(np.float64), whole)


def from_blocks(above: NDArray[np.float64], sizes: NDArray[np.float64], n: int) -> DesignEffect:
    """The design effect from counts above a threshold and block sizes, both of shape (blocks,)."""
    p = float(above.sum() / sizes.sum())
    if not 0 < p < 1:
        return independent(n)
    expected = p * (1 - p) / float(sizes.mean())
    effect = float(np.var(above / sizes, ddof=1)) / expected
    return DesignEffect(len(sizes), effect, max(1, int(n / max(1.0, effect))))
