"""Calendar weeks by ISO 8601: Monday to Sunday, in UTC."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from budget_model.errors import FilterError

DAYS = 7
DAY_US = 86_400_000_000
FIRST_YEAR, LAST_YEAR = 1971, 9998
"""ISO years whose weeks, with those before and after them, are moments that can be computed with."""

_WRITTEN = re.compile(r"(\d{4})-?[Ww](\d{2})")
_EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True, order=True)
class Week:
    """The week that begins on ``monday``."""

    monday: date

    def __str__(self) -> str:
        """As ISO 8601 writes it: ``2026-W49``."""
        year, number, _ = self.monday.isocalendar()
        return f"{year:04d}-W{number:02d}"

    @property
    def since_us(self) -> int:
        """Its first moment, UTC microseconds."""
        return (self.monday - _EPOCH).days * DAY_US

    @property
    def until_us(self) -> int:
        """The first moment after it, UTC microseconds."""
        return self.since_us + DAYS * DAY_US

    @property
    def before(self) -> Week:
        """The week before."""
        return Week(self.monday - timedelta(days=DAYS))

    @property
    def days(self) -> tuple[date, ...]:
        """Monday to Sunday."""
        return tuple(self.monday + timedelta(days=i) for i in range(DAYS))


def parse_week(text: str) -> Week:
    """``2026-W49`` as a week, of the years ``FIRST_YEAR`` to ``LAST_YEAR``.

    Raises FilterError for anything else, and for a week a year has not.
    """
    years = f"of the years {FIRST_YEAR} to {LAST_YEAR}"
    refusal = f"{text!r} is no week; an ISO week such as 2026-W49 {years} is accepted"
    found = _WRITTEN.fullmatch(text.strip())
    if found is None or not FIRST_YEAR <= int(found[1]) <= LAST_YEAR:
        raise FilterError(refusal)
    try:
        return Week(date.fromisocalendar(int(found[1]), int(found[2]), 1))
    except ValueError:
        raise FilterError(refusal) from None


def week_of(time_us: int) -> Week:
    """The week in which a moment lies, UTC microseconds.

    >>> str(week_of(1_796_083_200_000_000))
    '2026-W49'
    """
    day = datetime.fromtimestamp(time_us // 1_000_000, UTC).date()
    return Week(day - timedelta(days=day.weekday()))
