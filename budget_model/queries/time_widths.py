"""Widths of time buckets people expect, and edges aligned the way they count."""

from __future__ import annotations

SECOND_US = 1_000_000
MINUTE_US = 60 * SECOND_US
HOUR_US = 60 * MINUTE_US
DAY_US = 24 * HOUR_US
WEEK_US = 7 * DAY_US

FIRST_MONDAY_US = 4 * DAY_US
"""1970-01-05, the first Monday after the epoch, which fell on a Thursday."""

WIDTHS_US: tuple[int, ...] = (
    *(SECOND_US * k for k in (1, 5, 10, 30)),
    *(MINUTE_US * k for k in (1, 5, 10, 15, 30)),
    *(HOUR_US * k for k in (1, 3, 6, 12)),
    DAY_US,
    WEEK_US,
)

MOST_BUCKETS = 120


def nice_width(first_us: int, last_us: int) -> int:
    """The narrowest usual width that covers both times in at most 120 buckets; whole weeks beyond."""
    for width in WIDTHS_US:
        if bucket_start(last_us, width) - bucket_start(first_us, width) < MOST_BUCKETS * width:
            return width
    weeks = -(-(last_us - first_us) // (WEEK_US * (MOST_BUCKETS - 1)))
    return weeks * WEEK_US


def bucket_start(time_us: int, width_us: int) -> int:
    """The start of the bucket that holds a time: UTC midnight, whole hours, weeks from Monday."""
    origin = FIRST_MONDAY_US if width_us % WEEK_US == 0 else 0
    return (time_us - origin) // width_us * width_us + origin
