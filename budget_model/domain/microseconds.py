"""Nanoseconds to whole microseconds so that parts still add to their total."""

from __future__ import annotations

from collections.abc import Sequence

_NS = 1_000


def round_us(ns: int) -> int:
    """Nanoseconds as the nearest whole microseconds; a half goes up.

    >>> round_us(1_500), round_us(1_499)
    (2, 1)
    """
    return (ns + _NS // 2) // _NS


def parts_us(parts_ns: Sequence[int]) -> list[int]:
    """Parts in ns as whole us that add to ``round_us(sum(parts_ns))`` exactly, by largest remainder.

    Each result is within 1 us of its part; a part of 0 stays 0. Ties go to the lower index. All
    whole-number arithmetic, so that it is exact at any size. Parts must not be negative.

    >>> parts_us([1_400, 1_400, 700])
    [1, 1, 1]
    >>> parts_us([1_600, 1_300, 700])
    [2, 1, 1]
    """
    whole = [part // _NS for part in parts_ns]
    missing = round_us(sum(parts_ns)) - sum(whole)
    if missing:
        remainders = [part % _NS for part in parts_ns]
        for _ in range(missing):
            index = remainders.index(max(remainders))
            whole[index] += 1
            remainders[index] = -1
    return whole
