"""Which child a parent was waiting for: an interval divided so that the parts add up to it exactly.

The walk starts at the end and asks at every time t who was running. Of the children active at t the
one that started earliest holds everything back to its start; where none is active the parent itself
does, back to the latest end before t. Overlaps therefore belong to one child alone and the parts
are a partition: they neither overlap nor leave a gap.
"""

from __future__ import annotations

from collections.abc import Sequence

SELF = -1
"""Index that stands for the parent itself in a walk's segments."""

Segment = tuple[int, int, int]
"""Start, end and the index of the child that holds the time between them (or ``SELF``)."""


def backward_walk(low: int, high: int, starts: Sequence[int], ends: Sequence[int]) -> list[Segment]:
    """Divide [low, high] over children with the given starts and ends, latest segment first.

    Times are whole numbers of one unit; ``starts`` must not fall (children sorted by start, then by
    id, which settles ties). Children may overlap, outlive the parent or begin before it: what lies
    outside [low, high] is cut. A child whose end is not after its start takes nothing. The lengths
    of the segments add to ``high - low``.

    >>> backward_walk(0, 10, [1, 3], [5, 9])
    [(9, 10, -1), (3, 9, 1), (1, 3, 0), (0, 1, -1)]
    """
    segments: list[Segment] = []
    none = len(ends)
    by_end = sorted(range(none), key=ends.__getitem__)
    time = high
    while time > low:
        holder = none
        while by_end and ends[by_end[-1]] >= time:
            child = by_end.pop()
            if child < holder and starts[child] < time and starts[child] < ends[child]:
                holder = child  # the lowest index is the earliest start
        if holder < none:
            since = starts[holder]
        else:
            since, holder = (ends[by_end[-1]] if by_end else low), SELF
        if since < low:
            since = low
        segments.append((since, time, holder))
        time = since
    return segments
