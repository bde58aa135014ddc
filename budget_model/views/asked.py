"""The allocator's question as query parameters of an address and back, so that it can be sent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from budget_model.domain.allocation import SplitRule
from budget_model.domain.budget import Budget
from budget_model.domain.budget_question import MOST_TARGET_S, Question
from budget_model.domain.hops import COMPUTE_HOPS, MEASURED_HOPS, Hop
from budget_model.domain.strategies import Strategy

PARAMETERS = (
    *("target", "q", "headroom", "strategy", "locks", "answer", "cost", "prefill"),
    *("try", "rank", "beside"),
)
"""The allocator's own parameters of an address."""

QUANTILES = (0.5, 0.9, 0.95, 0.99, 0.999)
DEFAULT_Q = 0.99
DEFAULT_HEADROOM = 0.1
DEFAULT_ANSWER_TOKENS = 300
MOST_PREFILL = 100.0


@dataclass(frozen=True, slots=True)
class Asked:
    """What the controls say. ``locks`` are contracts in whole microseconds by hop.

    ``answer_tokens`` matters to the token-need rule and ``decode_cost``, the cost of decode speed
    with prefill's as 1, to the cost-minimal rule. ``prefill_share`` is the chosen point of the
    frontier, for the default strategy: prefill time as a share of today's, None for the same factor
    as decode.
    """

    target_s: float
    q: float = DEFAULT_Q
    headroom: float = DEFAULT_HEADROOM
    strategy: Strategy = Strategy.EULER
    locks: Mapping[Hop, int] = field(default_factory=dict)
    answer_tokens: int = DEFAULT_ANSWER_TOKENS
    decode_cost: float = 1.0
    prefill_share: float | None = None

    def question(self) -> Question:
        """The question for the allocator. Raises BudgetError for what cannot be asked."""
        return Question(round(self.target_s * 1e6), self.q, self.headroom, dict(self.locks))

    def rule(self, tpot_ms: float | None) -> SplitRule:
        """The strategy with what it needs; ``tpot_ms`` is the time per output token at the percentile."""
        need = None
        if self.strategy is Strategy.TOKEN_NEED and tpot_ms is not None:
            need = (self.answer_tokens - 1) * tpot_ms * 1000
        point = self.prefill_share if self.strategy is Strategy.EULER else None
        return SplitRule(self.strategy, (1.0, self.decode_cost), need, point)

    def with_lock(self, hop: Hop, lock_us: int | None) -> Asked:
        """A copy with ``hop`` held at a contract, or as observed for None."""
        others = {name: us for name, us in self.locks.items() if name is not hop}
        locks = others if lock_us is None else {**others, hop: lock_us}
        # With one of the two at a contract there is nothing left to trade.
        traded = not any(name in locks for name in COMPUTE_HOPS)
        return replace(self, locks=locks, prefill_share=self.prefill_share if traded else None)

    def with_strategy(self, strategy: Strategy) -> Asked:
        """A copy under another strategy; a point of prefill against decode is the default's alone."""
        return replace(self, strategy=strategy, prefill_share=None)

    def with_point(self, prefill_share: float | None) -> Asked:
        """A copy with prefill at a share of today's time under the default strategy; None undoes it."""
        return replace(self, strategy=Strategy.EULER, prefill_share=prefill_share)


def encode(asked: Asked) -> dict[str, str]:
    """Parameters that name everything, defaults too: a sent link must not change with the data."""
    found = {
        "target": f"{asked.target_s:.10g}",
        "q": f"{asked.q:.10g}",
        "headroom": f"{asked.headroom:.10g}",
        "strategy": str(asked.strategy),
    }
    if asked.locks:
        found["locks"] = ",".join(
            f"{hop}:{asked.locks[hop] / 1000:.10g}" for hop in Hop if hop in asked.locks
        )
    if asked.strategy is Strategy.TOKEN_NEED:
        found["answer"] = str(asked.answer_tokens)
    if asked.strategy is Strategy.COST_MINIMAL:
        found["cost"] = f"{asked.decode_cost:.10g}"
    if asked.prefill_share is not None:
        found["prefill"] = f"{asked.prefill_share:.10g}"
    return found


def decode(parameters: Mapping[str, str], default: Asked) -> tuple[Asked, list[str]]:
    """The usable part of an address, with a sentence for every part that is not."""
    complaints: list[str] = []
    asked = Asked(
        target_s=_number(parameters, "target", 0.001, MOST_TARGET_S, default.target_s, complaints),
        q=_number(parameters, "q", 0.5, 0.9999, default.q, complaints),
        headroom=_number(parameters, "headroom", 0.0, 0.99, DEFAULT_HEADROOM, complaints),
        strategy=_strategy(parameters.get("strategy", Strategy.EULER), complaints),
        locks=_locks(parameters.get("locks", ""), complaints),
        answer_tokens=int(_number(parameters, "answer", 1, 1e7, DEFAULT_ANSWER_TOKENS, complaints)),
        decode_cost=_number(parameters, "cost", 0.001, 1000.0, 1.0, complaints),
    )
    if "prefill" in parameters:
        asked = replace(asked, prefill_share=_point(parameters, asked, complaints))
    return asked, complaints


def _point(parameters: Mapping[str, str], asked: Asked, complaints: list[str]) -> float | None:
    share = _number(parameters, "prefill", 0.0, MOST_PREFILL, math.nan, complaints)
    if math.isnan(share):
        return None
    if asked.strategy is Strategy.EULER and not any(hop in asked.locks for hop in COMPUTE_HOPS):
        return share
    complaints.append(
        f"prefill {share:g} is for the default strategy with neither prefill nor decode locked."
    )
    return None


def of_budget(budget: Budget) -> Asked:
    """The question a saved version answers."""
    content = budget.content
    locks = {Hop(line.name): line.us for line in content.lines if line.locked}
    known = content.strategy in tuple(Strategy)
    strategy = Strategy(content.strategy) if known else Strategy.EULER
    question = Asked(content.target_us / 1e6, content.q, content.headroom, strategy, locks)
    return replace(question, prefill_share=content.prefill_scale)


def _number(
    given: Mapping[str, str], name: str, least: float, most: float, default: float, complaints: list[str]
) -> float:
    if name not in given:
        return default
    value = _finite(given[name])
    if value is not None and least <= value <= most:
        return value
    complaints.append(f"{name} {given[name]!r} is not a number from {least:g} to {most:g}.")
    return default


def _strategy(text: str, complaints: list[str]) -> Strategy:
    if text in tuple(Strategy):
        return Strategy(text)
    complaints.append(f"strategy {text!r} does not exist; there are {', '.join(Strategy)}.")
    return Strategy.EULER


def _locks(text: str, complaints: list[str]) -> dict[Hop, int]:
    found: dict[Hop, int] = {}
    for part in filter(None, text.split(",")):
        name, _, value = part.partition(":")
        lock_ms = _finite(value)
        if name in tuple(MEASURED_HOPS) and lock_ms is not None and 0 <= lock_ms <= MOST_TARGET_S * 1000:
            found[Hop(name)] = round(lock_ms * 1000)
        else:
            complaints.append(f"lock {part!r} is not a hop with milliseconds, such as retrieval:400.")
    return found


def _finite(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
