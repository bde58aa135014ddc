"""What a budget's prefill and decode lines buy in tokens, prompt bucket by prompt bucket."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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


def bucket_speeds(facts: TokenFacts, q: float) -> tuple[BucketSpeed, ...]:
    """One for each bucket that has requests, in label order, at quantile ``q``."""
    codes = [code for code in range(len(facts.bucket_labels)) if (facts.bucket == code).any()]
    return tuple(spread(lambda code: _speed(facts, code, q), codes))


def _speed(facts: TokenFacts, code: int, q: float) -> BucketSpeed:
    inside = facts.bucket == code
    measured = inside & (facts.prompt_tokens != MISSING) & (facts.prefill_us != MISSING)
    tokens = facts.prompt_tokens[measured].astype(np.float64)
    curve = prefill_curve(tokens, facts.prefill_us[measured] / US_PER_MS, q) if tokens.size else None
    tpots = facts.tpot_us[inside & (facts.tpot_us != MISSING)]
    enough = tpots.size >= minimum_n(q, two_sided=False)
    tpot_ms = quantile_of(tpots, q) / US_PER_MS if enough else None
    return BucketSpeed(facts.bucket_labels[code], curve, int(tokens.size), tpot_ms, int(tpots.size))


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
