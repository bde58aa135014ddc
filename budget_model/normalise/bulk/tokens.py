"""Token counts and token times of all traces of one shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budget_model.normalise.bulk.columns import Column, Spell, rounded_us
from budget_model.normalise.bulk.plans import CallPlan, Plan, Stage
from budget_model.normalise.bulk.views import View
from budget_model.normalise.calls import first_generation
from budget_model.normalise.engine_spans import DECODE
from budget_model.normalise.fields import count, number

_NS_PER_S, _NS_PER_MS, _NS_PER_US = 1_000_000_000, 1_000_000, 1_000
_NEVER = np.iinfo(np.int64).max

Counts = list[int | None]
"""A count for each trace; None where no span records it."""


@dataclass(frozen=True, slots=True)
class Generations:
    """One stream of tokens in every trace: first and last token in ns and tokens, each -1 where unknown."""

    first: Column
    last: Column
    tokens: Column


@dataclass(frozen=True, slots=True)
class TokenColumns:
    """Figures by trace, and for each call of the plan the times at which it is split."""

    prompt: Counts
    output: Counts
    ttft_us: Counts
    generation_us: Counts
    tpot_us: Counts
    points: list[Column]


def token_columns(plan: Plan, spells: Sequence[Spell], views: Sequence[Sequence[View]]) -> TokenColumns:
    """As ``dimensions.token_counts`` and ``generations.token_times``."""
    none: Counts = [None] * len(views)
    prompt = output = none
    for place in plan.prompts:
        prompt = _plus(prompt, _counts(views, place, "prompt_tokens"))
    per_call = [none] * len(plan.calls)
    for place, call in plan.outputs:
        more = _counts(views, place, "output_tokens")
        output = _plus(output, more)
        if call >= 0:
            per_call[call] = _plus(per_call[call], more)
    only = len(plan.calls) + len(plan.loose) == 1
    made, points = [], []
    for call_plan, own in zip(plan.calls, per_call, strict=True):
        # A request with one generation whose own count is unknown takes the request's.
        known = [o if a is None else a for a, o in zip(own, output, strict=True)] if only else own
        generations, point = _of_call(call_plan, spells, views, known)
        made.append(generations)
        points.append(point)
    for stages in plan.loose:
        made.append(Generations(*_of_stages(stages, spells), _column(output if only else none)))
    times = _times(made, *spells[plan.root]) if made else (none, none, none)
    return TokenColumns(prompt, output, *times, points)


def _counts(views: Sequence[Sequence[View]], place: int, field: str) -> Counts:
    return [count(row[place].fields, field) for row in views]


def _plus(totals: Counts, more: Counts) -> Counts:
    return [b if a is None else a if b is None else a + b for a, b in zip(totals, more, strict=True)]


def _column(values: Counts) -> Column:
    return np.array([-1 if value is None else value for value in values], np.int64)


def _of_call(
    call: CallPlan, spells: Sequence[Spell], views: Sequence[Sequence[View]], tokens: Counts
) -> tuple[Generations, Column]:
    """A call's tokens, and where its own time is split: at the first token, else at the first decode."""
    start, end = spells[call.place]
    decodes = [spells[place] for hop, place in call.stages if hop == DECODE]
    first = _first_as_recorded(call.place, spells[call.place], views)
    if first is None:
        first = _of_stages(call.stages, spells)[0]
    last = np.max([stop for _, stop in decodes], axis=0) if decodes else end
    begin = np.min([since for since, _ in decodes], axis=0) if decodes else start
    return Generations(first, last, _column(tokens)), np.where(first >= 0, first, begin)


def _first_as_recorded(place: int, spell: Spell, views: Sequence[Sequence[View]]) -> Column | None:
    """As ``calls.first_token_of``; the traces are alike, so all record it or none does."""
    for name, unit in (("first_token_s", _NS_PER_S), ("first_token_ms", _NS_PER_MS)):
        if name in (views[0][place].fields or ()):
            after = [round((number(row[place].fields, name) or 0) * unit) for row in views]
            longest = spell[1] - spell[0]
            cut = [min(one, most) for one, most in zip(after, longest.tolist(), strict=True)]
            return spell[0] + np.array(cut, np.int64)
    return None


def _of_stages(stages: Sequence[Stage], spells: Sequence[Spell]) -> tuple[Column, Column]:
    """First and last token by measured stages, as ``calls.first_generation``."""
    rows = [
        [(hop, start, end) for start, end in zip(*(edge.tolist() for edge in spells[place]), strict=True)]
        for hop, place in stages
    ]
    found = [first_generation(list(row)) for row in zip(*rows, strict=True)] if rows else []
    if not found:
        nothing = np.full(len(spells[0][0]), -1, np.int64)
        return nothing, nothing
    return _column([first for first, _ in found]), _column([last for _, last in found])


def _times(made: Sequence[Generations], low: Column, high: Column) -> tuple[Counts, Counts, Counts]:
    """TTFT, generation and TPOT; a first token outside the request is not used."""
    first = np.min([np.where(one.first < 0, _NEVER, one.first) for one in made], axis=0)
    last = np.max([np.where(one.first < 0, -1, one.last) for one in made], axis=0)
    took, steps = np.zeros_like(low), np.zeros_like(low)
    for one in made:
        counted = (one.first >= 0) & (one.last >= 0) & (one.tokens >= 2)
        took += np.where(counted, np.maximum(one.last - one.first, 0), 0)
        steps += np.where(counted, one.tokens - 1, 0)
    usable = (first >= low) & (first <= high)
    tpot = (2 * took + steps * _NS_PER_US) // np.maximum(2 * steps * _NS_PER_US, 1)
    return (
        _optional(rounded_us(np.where(usable, first - low, 0)), usable),
        _optional(rounded_us(np.where(usable, last - first, 0)), usable & (last >= first)),
        _optional(tpot, usable & (steps > 0)),
    )


def _optional(values: Column, known: NDArray[np.bool_]) -> Counts:
    if known.all():
        return values.tolist()  # type: ignore[no-any-return]
    return [
        value if is_known else None for value, is_known in zip(values.tolist(), known.tolist(), strict=True)
    ]
