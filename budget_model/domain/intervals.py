"""Sets of time: union and difference of closed intervals of whole numbers."""

from __future__ import annotations

from collections.abc import Iterable

Interval = tuple[int, int]
"""Start and end; an interval whose end is not after its start holds nothing."""


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """The same set of time as intervals that do not touch, in order.

    >>> union([(5, 12), (0, 10), (20, 30), (30, 31)])
    [(0, 12), (20, 31)]
    """
    merged: list[Interval] = []
    for start, end in sorted(intervals):
        if end <= start:
            continue
        if merged and start <= merged[-1][1]:
            if end > merged[-1][1]:
                merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def union_length(intervals: Iterable[Interval]) -> int:
    """How long at least one of the intervals lasts, in their unit; 0 for none.

    >>> union_length([(0, 10), (5, 12), (20, 30), (30, 31)])
    23
    """
    return sum(end - start for start, end in union(intervals))


def clip(intervals: Iterable[Interval], low: int, high: int) -> list[Interval]:
    """What of the intervals lies in [low, high]."""
    return [(max(start, low), min(end, high)) for start, end in intervals if start < high and end > low]


def difference(whole: Interval, holes: Iterable[Interval]) -> list[Interval]:
    """``whole`` without the holes, in order.

    >>> difference((0, 10), [(2, 3), (8, 12)])
    [(0, 2), (3, 8)]
    """
    left: list[Interval] = []
    time, end = whole
    for hole_start, hole_end in union(clip(holes, *whole)):
        if hole_start > time:
            left.append((time, hole_start))
        time = hole_end
    return [*left, (time, end)] if time < end else left
