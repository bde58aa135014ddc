"""What a budget's prefill and decode lines buy in tokens, prompt bucket by prompt bucket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.allocation import Allocation
from budget_model.domain.hops import Hop
from budget_model.domain.order_interval import minimum_n
from budget_model.domain.quantiles import quantile_of
from budget_model.domain.token_limits import (
    PrefillCurve,
    TokenRow,
    max_output_tokens,
    max_prompt_tokens,
    prefill_curve,
)
from budget_model.queries.joint_sample import TokenFacts
from budget_model.queries.pool import spread
from budget_model.queries.table import MISSING
from budget_model.units import US_PER_MS


@dataclass(frozen=True, slots=True)
class BucketSpeed:
    """How fast one prompt bucket is served: what its tokens cost, whatever the target."""

    bucket: str | None
    curve: PrefillCurve | None
    prompt_n: int
    tpot_ms: float | None
    output_n: int


@dataclass(frozen=True, slots=True)
class BucketTimes:
    """The measured requests of one prompt bucket, by rising prompt length; each of shape (n,)."""

    bucket: str | None
    prompt_tokens: NDArray[np.float64]
    prefill_ms: NDArray[np.float64]
    tpot_us: NDArray[Any]


def bucket_times(facts: TokenFacts) -> tuple[BucketTimes, ...]:
    """One for each bucket that has requests, in label order; sorted once for every percentile."""
    codes = [code for code in range(len(facts.bucket_labels)) if (facts.bucket == code).any()]
    return tuple(spread(lambda code: _times(facts, code), codes))


def _times(facts: TokenFacts, code: int) -> BucketTimes:
    inside = facts.bucket == code
    measured = inside & (facts.prompt_tokens != MISSING) & (facts.prefill_us != MISSING)
    tokens, prefill_us = facts.prompt_tokens[measured], facts.prefill_us[measured]
    order = np.argsort(tokens, kind="stable")
    return BucketTimes(
        facts.bucket_labels[code],
        tokens[order].astype(np.float64),
        prefill_us[order] / US_PER_MS,
        facts.tpot_us[inside & (facts.tpot_us != MISSING)],
    )


def bucket_speeds(times: tuple[BucketTimes, ...], q: float) -> tuple[BucketSpeed, ...]:
    """How fast each bucket is at quantile ``q``."""
    return tuple(spread(lambda one: _speed(one, q), times))


def _speed(times: BucketTimes, q: float) -> BucketSpeed:
    n, tpots = times.prompt_tokens.size, times.tpot_us
    curve = prefill_curve(times.prompt_tokens, times.prefill_ms, q) if n else None
    enough = tpots.size >= minimum_n(q, two_sided=False)
    tpot_ms = quantile_of(tpots, q) / US_PER_MS if enough else None
    return BucketSpeed(times.bucket, curve, int(n), tpot_ms, int(tpots.size))


def token_table(speeds: tuple[BucketSpeed, ...], allocation: Allocation) -> tuple[TokenRow, ...]:
    """What the lines of ``allocation`` buy in each bucket."""
    lines = {line.name: line.us / US_PER_MS for line in allocation.lines}
    return tuple(_row(speed, lines.get(Hop.PREFILL), lines.get(Hop.DECODE)) for speed in speeds)


def _row(speed: BucketSpeed, prefill_ms: float | None, decode_ms: float | None) -> TokenRow:
    curve, tpot_ms = speed.curve, speed.tpot_ms
    prompt = None if curve is None or prefill_ms is None else max_prompt_tokens(curve, prefill_ms)
    answer = max_output_tokens(decode_ms, tpot_ms) if decode_ms is not None and tpot_ms else None
    return TokenRow(
        bucket=speed.bucket,
        max_prompt_tokens=prompt,
        at_measured_limit=curve is not None and prompt is not None and prompt >= int(curve.tokens[-1]),
        prompt_n=speed.prompt_n,
        max_output_tokens=answer,
        tpot_ms=tpot_ms,
        output_n=speed.output_n,
    )
