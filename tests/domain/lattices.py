"""Hop vectors with known answers: Weibull grids whose dependence, not marginals, is varied."""

from __future__ import annotations

from functools import cache

import numpy as np

from budget_model.domain.budget_question import Sample
from budget_model.domain.hops import HOPS

N, GENERATOR = 10_007, 1987
SCALES_MS = (20, 60, 15, 120, 40, 300, 1500, 25)
SHAPES = (0.5, 1.2, 0.6, 1.0, 1.8, 0.8, 0.6, 0.7)
EXPONENTS = {
    "indep": (0, 1, 2, 3, 4, 5, 6, 7),
    "load": (0, 1, 2, 3, 4, 4, 4, 7),
    "comon": (0, 0, 0, 0, 0, 0, 0, 0),
}


@cache
def lattice(variant: str) -> Sample:
    """The eight hops client to postprocess in microseconds; retry and unattributed not recorded."""
    hops = np.zeros((N, len(HOPS)))
    steps = np.arange(N)
    columns = zip(EXPONENTS[variant], SCALES_MS, SHAPES, strict=True)
    for index, (exponent, scale, shape) in enumerate(columns):
        u = ((pow(GENERATOR, exponent, N) * steps) % N + 0.5) / N
        hops[:, index] = 1000 * scale * (-np.log1p(-u)) ** shape
    return Sample(hops, np.array([N] * 8 + [0, 0]))
