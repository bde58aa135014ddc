"""Answers of the allocator on a small made-up sample."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from budget_model.domain.allocation import Allocation, allocate
from budget_model.domain.budget_question import Question, Sample
from budget_model.domain.hops import HOPS, Hop

MEANS_US = {Hop.NETWORK: 60_000, Hop.RETRIEVAL: 200_000, Hop.PREFILL: 300_000, Hop.DECODE: 900_000}


def sample(n: int = 2000) -> Sample:
    """Independent exponential times of four hops; the others were never recorded."""
    rng = np.random.default_rng(5)
    hops = np.zeros((n, len(HOPS)))
    recorded = np.zeros(len(HOPS), dtype=np.int64)
    for index, hop in enumerate(HOPS):
        if hop in MEANS_US:
            hops[:, index] = np.round(rng.exponential(MEANS_US[hop], n))
            recorded[index] = n
    return Sample(hops, recorded)


def allocation(target_us: int = 4_000_000, locks: Mapping[Hop, int] | None = None) -> Allocation:
    """The p99 divided with 10 % headroom."""
    return allocate(sample(), Question(target_us, 0.99, 0.1, dict(locks or {})))
