"""Times of all traces of one shape, by its plan."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from budget_model.domain.hops import HOPS
from budget_model.normalise.bulk.columns import (
    Column,
    Spell,
    covered,
    cut,
    gaps,
    parts_us,
    rounded_us,
    walk,
)
from budget_model.normalise.bulk.plans import NodePlan, Plan
from budget_model.normalise.engine_spans import DECODE, PREFILL
from budget_model.normalise.settle import NETWORK
from budget_model.normalise.tree import UNATTRIBUTED
from budget_model.records.facts import Flag

HopTimes = list[list[int | None]]
"""One list of ten hops a trace, whole microseconds."""


def path_times(plan: Plan, spells: Sequence[Spell], points: Sequence[Column], walls: set[int]) -> HopTimes:
    """Path times; ``points`` are the times at which each call is split. As ``hop_times.path_segments``."""
    total = np.zeros((len(spells[0][0]), len(HOPS)), np.int64)
    parts = {plan.root: spells[plan.root]}
    for node in plan.nodes:
        part = parts.get(node.place)
        if part is None:
            continue
        own = [part]
        if node.waited_for:
            held, own = walk(*part, [spells[place] for place in node.waited_for])
            parts.update(zip(node.waited_for, held, strict=True))
        for one in own:
            _book(node, one, points, total)
    us = parts_us(total)
    known = total != 0
    known[:, [UNATTRIBUTED, *walls]] = True
    return _rows([_optional(us[:, hop], known[:, hop]) for hop in range(len(HOPS))])


def _book(node: NodePlan, own: Spell, points: Sequence[Column], total: Column) -> None:
    if node.split is None:
        total[:, node.self_hop] += own[1] - own[0]
        return
    call, before, after = node.split
    first, second = cut(points[call], own)
    total[:, before] += first[1] - first[0]
    total[:, after] += second[1] - second[0]


def wall_times(plan: Plan, spells: Sequence[Spell], points: Sequence[Column]) -> tuple[HopTimes, set[int]]:
    """Wall times and the hops that have one. As ``hop_times.wall_intervals``."""
    found: dict[int, list[Spell]] = {}
    for node in plan.nodes:
        for hop, spell in _walls_of(node, spells, points):
            found.setdefault(hop, []).append(spell)
    none: list[int | None] = [None] * len(spells[0][0])
    columns = [rounded_us(covered(found[hop])).tolist() if hop in found else none for hop in range(len(HOPS))]
    return _rows(columns), set(found)


def _walls_of(node: NodePlan, spells: Sequence[Spell], points: Sequence[Column]) -> list[tuple[int, Spell]]:
    spell = spells[node.place]
    if node.wall == "span":
        return [(node.hop, spell)]
    if node.wall == "decode":
        return [(DECODE, spell)]
    if node.wall == "transit":
        return [(NETWORK, gap) for gap in gaps(spell, [spells[place] for place in node.servers])]
    if node.wall == "split" and node.split is not None:
        call, before, after = node.split
        first, second = cut(points[call], spell)
        return [(PREFILL, first)] * (before == PREFILL) + [(DECODE, second)] * (after == DECODE)
    return []


def flags_of(plan: Plan, spells: Sequence[Spell]) -> list[int]:
    """Flags of the spans, as ``marks.span_flags``, and of the plan."""
    flags = np.full(len(spells[0][0]), plan.flags, np.int64)
    for node in plan.nodes:
        if node.parent < 0:
            continue
        (start, end), (low, high) = spells[node.place], spells[node.parent]
        if node.other_clock:
            flags |= np.where(start < low, int(Flag.CLOCK_SKEW), 0)
        flags |= np.where(end > high, int(Flag.CHILD_OUTLIVES_PARENT), 0)
    found: list[int] = flags.tolist()
    return found


def _optional(values: Column, known: np.typing.NDArray[np.bool_]) -> list[int | None]:
    if known.all():
        return values.tolist()  # type: ignore[no-any-return]
    if not known.any():
        return [None] * len(values)
    return [
        value if is_known else None for value, is_known in zip(values.tolist(), known.tolist(), strict=True)
    ]


def _rows(columns: list[list[int | None]]) -> HopTimes:
    return [list(row) for row in zip(*columns, strict=True)]
