"""What a budget's prefill and decode lines buy in tokens, prompt bucket by prompt bucket."""

from __future__ import annotations

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
from budget_model.queries.table import MISSING
from budget_model.units import US_PER_MS


def token_table(facts: TokenFacts, q: float, allocation: Allocation) -> tuple[TokenRow, ...]:
    """A row per bucket that has requests, in label order, for the lines of ``allocation``."""
    lines = {line.name: line.us for line in allocation.lines}
    prefill_us, decode_us = lines.get(Hop.PREFILL), lines.get(Hop.DECODE)
    rows = []
    for code, label in enumerate(facts.bucket_labels):
        inside = facts.bucket == code
        if inside.any():
            rows.append(_row(facts, inside, label, q, prefill_us, decode_us))
    return tuple(rows)


def _row(
    facts: TokenFacts,
    inside: np.typing.NDArray[np.bool_],
    label: str | None,
    q: float,
    prefill_us: int | None,
    decode_us: int | None,
) -> TokenRow:
    measured = inside & (facts.prompt_tokens != MISSING) & (facts.prefill_us != MISSING)
    tokens = facts.prompt_tokens[measured].astype(np.float64)
    curve = prefill_curve(tokens, facts.prefill_us[measured] / US_PER_MS, q) if tokens.size else None
    prompt = None if curve is None or prefill_us is None else max_prompt_tokens(curve, prefill_us / US_PER_MS)
    tpots = facts.tpot_us[inside & (facts.tpot_us != MISSING)]
    enough = tpots.size >= minimum_n(q, two_sided=False)
    tpot_ms = quantile_of(tpots, q) / US_PER_MS if enough else None
    affordable = decode_us is not None and tpot_ms is not None and tpot_ms > 0
    return TokenRow(
        bucket=label,
        max_prompt_tokens=prompt,
        at_measured_limit=_at_limit(curve, prompt),
        prompt_n=int(tokens.size),
        max_output_tokens=max_output_tokens(decode_us / US_PER_MS, tpot_ms) if affordable else None,  # type: ignore[operator, arg-type]
        tpot_ms=tpot_ms,
        output_n=int(tpots.size),
    )


def _at_limit(curve: PrefillCurve | None, prompt: int | None) -> bool:
    return curve is not None and prompt is not None and prompt >= int(curve.tokens[-1])
