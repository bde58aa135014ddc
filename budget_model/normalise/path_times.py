"""The hop columns of one row as a partition of its end-to-end time."""

from __future__ import annotations

from fractions import Fraction

from budget_model.domain.hops import HOPS, Hop
from budget_model.domain.microseconds import parts_us, round_us
from budget_model.domain.rounding import largest_remainder
from budget_model.records.rejects import BadRecordError

ROUNDING_NS = 1000
"""What each hop column may be off by because it was written rounded to a microsecond."""

_UNATTRIBUTED = HOPS.index(Hop.UNATTRIBUTED)


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
    if e2e_ns < total_ns:
        shares = [Fraction(value * e2e_ns, total_ns) for value in values.values()]
        values = dict(zip(values, largest_remainder(shares, e2e_ns), strict=True))
    for index, share_us in zip(values, parts_us(list(values.values())), strict=True):
        path_us[index] = share_us
    return round_us(e2e_ns), path_us
