"""The walks and unions of ``domain.partition`` and ``domain.intervals`` for many traces at once.

A column has one entry a trace, shape (n,), int64 nanoseconds. An interval is a pair of columns; where
its end is not after its start it holds nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.int64]
Spell = tuple[Column, Column]
"""Starts and ends of one interval in every trace."""

_NS = 1_000


def walk(low: Column, high: Column, children: Sequence[Spell]) -> tuple[list[Spell], list[Spell]]:
    """[low, high] divided over children by start: each child's part, and what is left to the parent.

    As ``partition.backward_walk``; every child must have a duration.
    """
    if _follow_one_another(low, high, children):
        edges = [low, *[edge for child in children for edge in child], high]
        return list(children), [(edges[i], edges[i + 1]) for i in range(0, len(edges), 2)]
    return _walk_back(low, high, children)


def _follow_one_another(low: Column, high: Column, children: Sequence[Spell]) -> bool:
    time = low
    for start, end in children:
        if not (start >= time).all():
            return False
        time = end
    return bool((time <= high).all())


def _walk_back(low: Column, high: Column, children: Sequence[Spell]) -> tuple[list[Spell], list[Spell]]:
    starts = np.stack([start for start, _ in children], axis=1)
    ends = np.stack([end for _, end in children], axis=1)
    rows = np.arange(len(low))
    held_from, held_to = np.zeros_like(starts), np.zeros_like(starts)
    own: list[Spell] = []
    time = np.maximum(high, low)
    while (live := time > low).any():
        now = time[:, None]
        active = (starts < now) & (ends >= now)
        held = active.any(axis=1)
        holder = active.argmax(axis=1)  # the lowest index is the earliest start
        since = np.where(ends < now, ends, low[:, None]).max(axis=1)
        since = np.where(live, np.maximum(np.where(held, starts[rows, holder], since), low), time)
        taken = live & held
        held_from[rows[taken], holder[taken]] = since[taken]
        held_to[rows[taken], holder[taken]] = time[taken]
        own.append((np.where(held, time, since), time))
        time = since
    return [(held_from[:, i], held_to[:, i]) for i in range(len(children))], own


def cut(at: Column, spell: Spell) -> tuple[Spell, Spell]:
    """What of an interval lies before a time, and what after."""
    start, end = spell
    middle = np.minimum(np.maximum(at, start), end)
    return (start, middle), (middle, end)


def gaps(whole: Spell, holes: Sequence[Spell]) -> list[Spell]:
    """``whole`` without the holes (by start), as ``intervals.difference``; empty ones among them."""
    left: list[Spell] = []
    time, end = whole
    for start, stop in holes:
        left.append((time, np.minimum(start, end)))
        time = np.maximum(time, np.minimum(stop, end))
    return [*left, (time, end)]


def covered(spells: Sequence[Spell]) -> Column:
    """How long at least one of the intervals lasts, as ``intervals.union_length``."""
    if len(spells) == 1:
        alone: Column = np.maximum(spells[0][1] - spells[0][0], 0)
        return alone
    starts = np.stack([start for start, _ in spells], axis=1)
    ends = np.stack([end for _, end in spells], axis=1)
    order = np.argsort(starts, axis=1, kind="stable")
    starts, ends = np.take_along_axis(starts, order, 1), np.take_along_axis(ends, order, 1)
    until = np.maximum.accumulate(ends, axis=1)
    starts[:, 1:] = np.maximum(starts[:, 1:], until[:, :-1])
    length: Column = np.maximum(ends - starts, 0).sum(axis=1)
    return length


def rounded_us(ns: Column) -> Column:
    """As ``microseconds.round_us``."""
    return (ns + _NS // 2) // _NS


def parts_us(parts_ns: Column) -> Column:
    """As ``microseconds.parts_us`` for every row of parts, shape (n, parts)."""
    whole, rest = parts_ns // _NS, parts_ns % _NS
    missing = rounded_us(parts_ns.sum(axis=1)) - whole.sum(axis=1)
    rank = np.argsort(np.argsort(-rest, axis=1, kind="stable"), axis=1, kind="stable")
    shared: Column = whole + (rank < missing[:, None])
    return shared
