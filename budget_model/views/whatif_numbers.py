"""The numbers of a change that can be tried: which there are, and how they stand in an address.

An address names each change by its place among the presets, with its numbers after colons, in the
order of ``KNOBS``: ``1:0.5:8,9:0.3``. A place alone means the preset's own numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from budget_model.domain.whatif.answer_tactics import OutputCap
from budget_model.domain.whatif.model_tactics import PromptCache, SmallerModel, SpeculativeDecoding
from budget_model.domain.whatif.path_tactics import CloserRegion
from budget_model.domain.whatif.presets import PRESETS, Preset
from budget_model.domain.whatif.retrieval_tactics import HedgedRetrieval, ParallelRetrieval
from budget_model.errors import BudgetError


@dataclass(frozen=True, slots=True)
class Knob:
    """One number of a change: its field, its words, and the values that are offered.

    ``percent`` shows a share as percent; ``least`` and ``most`` are in the field's own unit.
    """

    field: str
    label: str
    least: float
    most: float
    percent: bool = False


KNOBS: dict[type, tuple[Knob, ...]] = {
    PromptCache: (
        Knob("hit_share", "Prompts found cached (%)", 0, 1, percent=True),
        Knob("speedup", "Their prefill is faster (times)", 1, 1000),
    ),
    SpeculativeDecoding: (Knob("speedup", "Decode is faster (times)", 1, 100),),
    SmallerModel: (
        Knob("share", "Requests routed (%)", 0, 1, percent=True),
        Knob("prefill_factor", "Their prefill, % of today's", 0, 1, percent=True),
        Knob("decode_factor", "Their decode, % of today's", 0, 1, percent=True),
    ),
    OutputCap: (Knob("quantile", "Cap at this percentile of decode", 0, 1, percent=True),),
    ParallelRetrieval: (Knob("larger_part", "The larger part, % of the time", 0.5, 1, percent=True),),
    HedgedRetrieval: (
        Knob("after_quantile", "Second call after this percentile of retrieval", 0, 1, percent=True),
    ),
    CloserRegion: (Knob("factor", "Network, % of today's", 0, 1, percent=True),),
}
"""The numbers of each kind of change, in the order an address gives them."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A change that is tried: the preset at ``place`` (1 is the first) with its numbers as set."""

    place: int
    preset: Preset

    @property
    def knobs(self) -> tuple[Knob, ...]:
        """The numbers it has."""
        return KNOBS.get(type(self.preset.tactic), ())

    def number(self, knob: Knob) -> float:
        """One of its numbers, in the field's own unit."""
        return float(getattr(self.preset.tactic, knob.field))

    def with_number(self, knob: Knob, value: float) -> Tried:
        """A copy with one number changed. Raises BudgetError for what is not accepted."""
        tactic: Any = self.preset.tactic
        return Tried(self.place, replace(self.preset, tactic=replace(tactic, **{knob.field: value})))

    @property
    def as_published(self) -> bool:
        """Whether the numbers are the preset's own."""
        return self.preset.tactic == PRESETS[self.place - 1].tactic


def preset_at(place: int) -> Tried:
    """The preset at a place from 1, with its own numbers."""
    return Tried(place, PRESETS[place - 1])


def encode(tried: Sequence[Tried]) -> str:
    """The changes as one value of an address; every number is named."""
    return ",".join(
        ":".join([str(one.place), *(f"{one.number(knob):.6g}" for knob in one.knobs)]) for one in tried
    )


def decode(value: str) -> tuple[tuple[Tried, ...], list[str]]:
    """The usable changes of an address, with a sentence for each that is not."""
    found: list[Tried] = []
    complaints: list[str] = []
    for part in filter(None, value.split(",")):
        try:
            found.append(_new(_read(part), part, found))
        except BudgetError as refusal:
            complaints.append(str(refusal))
    return tuple(found), complaints


def _new(tried: Tried, part: str, before: Sequence[Tried]) -> Tried:
    if any(one.place == tried.place for one in before):
        raise BudgetError(f"try {part!r} is there a second time; a change is tried once, as first given.")
    return tried


def _read(part: str) -> Tried:
    place, *numbers = part.split(":")
    places = {str(i + 1): i + 1 for i in range(len(PRESETS))}
    if place not in places:
        raise BudgetError(f"try {part!r} is not a change; there are 1 to {len(PRESETS)}.")
    tried = preset_at(places[place])
    if numbers and len(numbers) != len(tried.knobs):
        raise BudgetError(f"try {part!r} wants {len(tried.knobs)} numbers after {place}.")
    for knob, text in zip(tried.knobs, numbers, strict=False):
        tried = tried.with_number(knob, _number(part, knob, text))
    return tried


def _number(part: str, knob: Knob, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not knob.least <= value <= knob.most:
        raise BudgetError(f"try {part!r}: {text!r} is not a number from {knob.least:g} to {knob.most:g}.")
    return value
