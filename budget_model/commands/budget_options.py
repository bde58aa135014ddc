"""Reading a budget question off the command line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

import typer

from budget_model.domain.allocation import SplitRule
from budget_model.domain.budget_question import Question
from budget_model.domain.hops import COMPUTE_HOPS, MEASURED_HOPS, Hop
from budget_model.domain.strategies import STRATEGY_MEANING, Strategy
from budget_model.errors import BudgetError
from budget_model.units import US_PER_MS, parse_duration_ms

TargetOption = Annotated[str, typer.Option("--target", help="The e2e target, such as 5s or 800ms.")]
HeadroomOption = Annotated[
    str, typer.Option("--headroom", help="Share of the target kept back, such as 10%.")
]
LockOption = Annotated[
    list[str] | None,
    typer.Option("--lock", metavar="HOP=DURATION", help="Hold a hop at a contract, such as retrieval=400ms."),
]
StrategyOption = Annotated[
    Strategy,
    typer.Option("--strategy", help=" ".join(f"{name}: {words}" for name, words in STRATEGY_MEANING.items())),
]
AnswerOption = Annotated[
    str | None,
    typer.Option(
        "--decode-need", metavar="DURATION", help="Decode time the token-need strategy must pay for."
    ),
]
WeightOption = Annotated[
    list[str] | None,
    typer.Option(
        "--weight",
        metavar="HOP=NUMBER",
        help="Cost of speed for the cost-minimal strategy, such as prefill=1 and decode=4; 1 without it.",
    ),
]

PrefillOption = Annotated[
    str | None,
    typer.Option(
        "--prefill-scale",
        metavar="SHARE",
        help="Trade prefill against decode: prefill at this share of today's time, such as 60%, and decode "
        "at the most that leaves it. For the default strategy.",
    ),
]


def question_of(target: str, percentile: float, headroom: str, locks: list[str] | None) -> Question:
    """The question asked. Raises BudgetError or SettingsError naming what cannot be read."""
    target_us = round(parse_duration_ms(target) * US_PER_MS)
    return Question(target_us, percentile / 100, share_of(headroom), _locks(locks or ()))


def rule_of(
    strategy: Strategy,
    decode_need: str | None,
    weights: list[str] | None = None,
    prefill_scale: str | None = None,
) -> SplitRule:
    """The strategy with what it needs. Raises BudgetError for what it has no use for."""
    if weights and strategy is not Strategy.COST_MINIMAL:
        raise BudgetError(f"--weight is for --strategy {Strategy.COST_MINIMAL}, not for {strategy}")
    if decode_need is not None and strategy is not Strategy.TOKEN_NEED:
        raise BudgetError(f"--decode-need is for --strategy {Strategy.TOKEN_NEED}, not for {strategy}")
    need_us = None if decode_need is None else parse_duration_ms(decode_need) * US_PER_MS
    given = dict(map(_weight, weights or ()))
    costs = given.get(Hop.PREFILL, 1.0), given.get(Hop.DECODE, 1.0)
    point = None if prefill_scale is None else _prefill_scale(prefill_scale)
    return SplitRule(strategy, cost_weights=costs, decode_us=need_us, prefill_scale=point)


def _prefill_scale(text: str) -> float:
    scale = share_of(text)
    if not 0 <= scale < math.inf:
        raise BudgetError(f"--prefill-scale {text!r} is not accepted; give 0 % or more")
    return scale


def _weight(text: str) -> tuple[Hop, float]:
    name, equals, number = text.partition("=")
    try:
        weight = float(number)
    except ValueError:
        weight = math.nan
    if not equals or name not in tuple(COMPUTE_HOPS) or not 0 < weight < math.inf:
        raise BudgetError(f"--weight {text!r}: write prefill=NUMBER or decode=NUMBER, above 0")
    return Hop(name), weight


def share_of(text: str) -> float:
    """A share written as ``10%`` or ``0.1``. Raises BudgetError for anything else."""
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise BudgetError(f"{text!r} is not a share; write it as 10% or 0.1") from None


def _locks(texts: Sequence[str]) -> dict[Hop, int]:
    found: dict[Hop, int] = {}
    for text in texts:
        hop, lock_us = _lock(text)
        if hop in found:
            raise BudgetError(f"--lock {text!r}: {hop} has a contract already; give one for each hop")
        found[hop] = lock_us
    return found


def _lock(text: str) -> tuple[Hop, int]:
    name, equals, duration = text.partition("=")
    if not equals or name not in tuple(MEASURED_HOPS):
        raise BudgetError(f"--lock {text!r}: write HOP=DURATION with one of {', '.join(MEASURED_HOPS)}")
    return Hop(name), round(parse_duration_ms(duration) * US_PER_MS)
