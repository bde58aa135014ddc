"""First and last tokens of a request's generations, and the figures made from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from budget_model.domain.microseconds import round_us
from budget_model.normalise.calls import first_answer_of, first_generation
from budget_model.normalise.engine_spans import DECODE
from budget_model.normalise.tree import Call, Node

_NS_PER_US = 1_000


class Generation(NamedTuple):
    """One stream of tokens: times of its first and last token in ns and how many came."""

    first: int | None
    last: int | None
    tokens: int | None


class TokenTimes(NamedTuple):
    """Token figures of one request in whole us; None where not recorded or not defined."""

    ttft_us: int | None = None
    first_answer_us: int | None = None
    generation_us: int | None = None
    tpot_us: int | None = None


def generations_of(calls: list[Call], loose: list[Node], output: int | None) -> list[Generation]:
    """The generations of the outermost calls and of prefill and decode spans outside any call.

    The last token is the end of decode where that is measured, else of the call. A request with one
    generation whose own count is unknown takes the request's ``output`` tokens.
    """
    found = [Generation(call.first, _last_of(call), call.tokens) for call in calls if call.outer is None]
    by_parent: dict[int, list[tuple[int, int, int]]] = {}
    for node in loose:
        by_parent.setdefault(id(node.parent), []).append((node.decision.hop, node.start, node.end))
    found += [Generation(*first_generation(stages), None) for stages in by_parent.values()]
    if len(found) == 1 and found[0].tokens is None:
        return [Generation(found[0].first, found[0].last, output)]
    return found


def _last_of(call: Call) -> int:
    return max((end for hop, _, end in call.stages if hop == DECODE), default=call.node.end)


def token_times(
    generations: list[Generation], low: int, high: int | None, answer_us: int | None = None
) -> TokenTimes:
    """TTFT, generation and TPOT of a request that lasted from ``low`` to ``high`` (ns).

    TTFT is the earliest first token after the start; a token outside [low, high] (another clock) is
    not used. Generation is first to last token over all; TPOT is sum(last - first) / sum(n - 1)
    over generations that know all three, None when no step was made.
    """
    firsts = [made.first for made in generations if made.first is not None]
    first = min(firsts, default=None)
    if first is None or first < low or (high is not None and first > high):
        return TokenTimes(first_answer_us=answer_us)
    lasts = [made.last for made in generations if made.last is not None and made.first is not None]
    return TokenTimes(
        ttft_us=round_us(first - low),
        first_answer_us=answer_us,
        generation_us=round_us(max(lasts) - first) if lasts and max(lasts) >= first else None,
        tpot_us=_tpot_us(generations),
    )


def first_answer_us(order: Iterable[Node], low: int) -> int | None:
    """The earliest first answer token marked by an event, after the start."""
    times = [first_answer_of(node) for node in order if node.span.events and not node.superseded]
    known = [time for time in times if time is not None and time >= low]
    return round_us(min(known) - low) if known else None


def _tpot_us(generations: list[Generation]) -> int | None:
    took = steps = 0
    for made in generations:
        if made.first is None or made.last is None or made.tokens is None or made.tokens < 2:
            continue
        took += max(made.last - made.first, 0)
        steps += made.tokens - 1
    return (2 * took + steps * _NS_PER_US) // (2 * steps * _NS_PER_US) if steps else None
