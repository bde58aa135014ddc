"""From milliseconds to tokens: the longest prompt and the longest answer a budget line pays for."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.isotonic import isotonic, largest_argument
from budget_model.domain.quantiles import quantile_of

Values = NDArray[np.float64]

MIN_GROUP = 30
"""Requests needed at a prompt length before its prefill time is taken for a point of the curve."""


@dataclass(frozen=True, slots=True)
class PrefillCurve:
    """Prefill time at quantile ``q`` by prompt length, smoothed to be monotone.

    ``tokens`` are the mean prompt lengths of groups of ``group_size`` requests of like length.
    """

    tokens: Values
    times_ms: Values
    n: int
    group_size: int


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One prompt bucket: the tokens its budget pays for and the sample behind each figure.

    ``max_prompt_tokens`` None: not even the shortest prompt measured fits, or too few were
    measured (``prompt_n`` tells). ``at_measured_limit``: the longest prompt measured still fits,
    longer ones are unknown.
    """

    bucket: str | None
    max_prompt_tokens: int | None
    at_measured_limit: bool
    prompt_n: int
    max_output_tokens: int | None
    tpot_ms: float | None
    output_n: int


def prefill_curve(prompt_tokens: Values, prefill_ms: Values, q: float) -> PrefillCurve | None:
    """Fit the curve from measured requests, shape (n,); None with fewer than two groups of them.

    Requests are sorted by prompt length and cut into groups of equal size; a group's point is the
    nearest-rank quantile q of its prefill times. Points are then made monotone.
    """
    n = prompt_tokens.size
    size = max(MIN_GROUP, math.ceil(1 / (1 - q)), n // 40)
    if n < 2 * size:
        return None
    order = np.argsort(prompt_tokens, kind="stable")
    groups = np.array_split(order, n // size)
    tokens = np.array([prompt_tokens[group].mean() for group in groups])
    times = np.array([quantile_of(prefill_ms[group], q) for group in groups])
    rising = np.concatenate(([True], np.diff(tokens) > 0))
    return PrefillCurve(tokens[rising], isotonic(times)[rising], n, size)


def max_prompt_tokens(curve: PrefillCurve, budget_ms: float) -> int | None:
    """The longest prompt, within what was measured, whose prefill fits ``budget_ms``."""
    limit = largest_argument(curve.tokens, curve.times_ms, budget_ms)
    return None if limit is None else math.floor(limit)


def max_output_tokens(budget_ms: float, tpot_ms: float) -> int:
    """The longest answer a decode line pays for: 1 + floor(budget / TPOT).

    The first token belongs to prefill. ``tpot_ms`` > 0 is a quantile of the per-request mean time
    per output token, never of pooled gaps: gaps average out over an answer, so the pooled quantile
    times the token count overstates the answer's tail.
    """
    return 1 + math.floor(budget_ms / tpot_ms)


def quadratic_max_tokens(a: float, b: float, c: float, budget_ms: float, cached: int = 0) -> int:
    """Prompt tokens that fit when prefill takes a + b (n-m) + c (n^2-m^2) ms, m of them cached.

    Coefficients in ms, ms per token and ms per token squared, c > 0 (the form DistServe fits,
    Zhong et al., OSDI 2024). 0 when not even one token fits.
    """
    room = budget_ms - a + b * cached + c * cached * cached
    if b + c > room:
        return 0
    return math.floor((-b + math.sqrt(b * b + 4 * c * room)) / (2 * c))
