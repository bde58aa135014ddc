"""Whole numbers that still add up: rounding by largest remainder."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction


def largest_remainder(values: Sequence[float | Fraction], total: int) -> list[int]:
    """``values`` as whole numbers that add to ``total`` exactly.

    Every value is rounded down, and what is then missing is given, one each, to those with the
    largest fractional parts (ties: lower index); negative values round down as well. Each result is
    within 1 of its value (Hamilton's method of apportionment).

    Raises ValueError when ``total`` cannot be reached that way, that is when it is further from the
    sum of the values than rounding explains.

    >>> largest_remainder([9.6256, 18.1187, 227.8995, 798.3562], 1054)
    [10, 18, 228, 798]
    """
    whole = [math.floor(value) for value in values]
    missing = total - sum(whole)
    if not 0 <= missing <= len(whole):
        raise ValueError(f"{len(whole)} values that add to {float(sum(values))} cannot be rounded to {total}")
    by_remainder = sorted(range(len(whole)), key=lambda index: (whole[index] - values[index], index))
    for index in by_remainder[:missing]:
        whole[index] += 1
    return whole
