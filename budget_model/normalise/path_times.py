"""The hop columns of one row as a partition of its end-to-end time."""

from __future__ import annotations

from budget_model.domain.hops import HOPS, Hop
from budget_model.domain.rounding import largest_remainder
from budget_model.records.rejects import BadRecordError

ROUNDING_NS = 1000
"""What each hop column may be off by because it was written rounded to a microsecond."""

_UNATTRIBUTED = HOPS.index(Hop.UNATTRIBUTED)
_NS_PER_US = 1000


def partition(hops_ns: list[int | None], e2e_ns: int | None) -> tuple[int | None, list[int | None]]:
    """End-to-end and path times in whole microseconds from nanoseconds, shape (10,) in hop order.

    Raises BadRecordError when the hops exceed the end-to-end time by more than ``ROUNDING_NS`` each.
    """
    known = [index for index, value in enumerate(hops_ns) if value is not None]
    values = {index: hops_ns[index] or 0 for index in known}
    total_ns = sum(values.values())
    if e2e_ns is None:
        e2e_ns = total_ns if known else None
    elif e2e_ns >= total_ns:
        values[_UNATTRIBUTED] = values.get(_UNATTRIBUTED, 0) + e2e_ns - total_ns
    elif total_ns - e2e_ns > ROUNDING_NS * len(known):
        raise BadRecordError(
            f"{total_ns / 1e6:g} ms",
            f"the hops must not add to more than the end-to-end time of {e2e_ns / 1e6:g} ms",
        )
    path_us: list[int | None] = [None] * len(HOPS)
    if e2e_ns is None:
        return None, path_us
    e2e_us = rounded_us(e2e_ns)
    shares = [value * (e2e_ns / max(total_ns, e2e_ns, 1)) / _NS_PER_US for value in values.values()]
    for index, share_us in zip(values, largest_remainder(shares, e2e_us), strict=True):
        path_us[index] = share_us
    return e2e_us, path_us


def rounded_us(time_ns: int) -> int:
    """Nanoseconds as whole microseconds."""
    return half_even(time_ns, _NS_PER_US)


def half_even(value: int, divisor: int) -> int:
    """``value / divisor`` as a whole number, halves to even, without going through a float."""
    whole, rest = divmod(value, divisor)
    return whole + (2 * rest > divisor or (2 * rest == divisor and whole % 2 == 1))
