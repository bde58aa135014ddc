"""Moments in the spellings seen in logs, as exact UTC nanoseconds. The machine's own zone plays no part."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from budget_model.normalise.cells import EXACT, decimal_of
from budget_model.records.rejects import BadRecordError
from budget_model.units import NS_PER_UNIT

MAX_NS = 2**63 - 1
"""The latest time that fits a signed 64-bit count of nanoseconds; it is in the year 2262."""

OLDEST_EPOCH_NS = 946_684_800 * NS_PER_UNIT["s"]
"""The year 2000: a number that means an earlier moment is no clock reading but a relative time."""

_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?)?"
    r"\s*(Z|z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)
_EPOCH_DIGITS = {10: "s", 13: "ms", 16: "us", 19: "ns"}
_EPOCH_DAY = date(1970, 1, 1).toordinal()


@dataclass(frozen=True, slots=True)
class Moment:
    """``time_ns`` since the epoch; what had to be assumed to know it."""

    time_ns: int
    zone_assumed: bool = False
    unit_assumed: str | None = None

    @property
    def is_relative(self) -> bool:
        """Whether it is too early to be a clock's reading."""
        return self.time_ns < OLDEST_EPOCH_NS


def moment(value: Any, unit: str | None) -> Moment | None:
    """A moment from ISO 8601 text, a number since the epoch in ``unit``, or a datetime; None when empty.

    Without a unit a number's own length tells it: 10 digits are seconds, 13 ms, 16 us, 19 ns. Text
    without a zone is taken as UTC. Fractions keep nine digits. Raises BadRecordError for anything else.
    """
    if value is None or value == "":
        return None
    if isinstance(value, datetime):
        return _of_datetime(value)
    if isinstance(value, date):
        value = value.isoformat()
    text = value.strip() if isinstance(value, str) else None
    if text is not None and (found := _ISO.fullmatch(text)):
        return _of_iso(found, text)
    return _of_number(value, unit)


def _of_datetime(value: datetime) -> Moment:
    aware = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    delta = aware - datetime(1970, 1, 1, tzinfo=UTC)
    time_ns = (delta.days * 86_400 + delta.seconds) * NS_PER_UNIT["s"] + delta.microseconds * 1000
    # Pandas' time stamps are datetimes with the nanoseconds beside.
    return Moment(_in_range(time_ns + getattr(value, "nanosecond", 0), value), value.tzinfo is None)


def _of_iso(found: re.Match[str], text: str) -> Moment:
    year, month, day, hour, minute, second, fraction, zone = found.groups(default="")
    try:
        days = date(int(year), int(month), int(day)).toordinal() - _EPOCH_DAY
    except ValueError:
        raise BadRecordError(text, "is no date of the calendar") from None
    hours, minutes, seconds = int(hour or 0), int(minute or 0), int(second or 0)
    if hours > 23 or minutes > 59 or seconds > 59:
        raise BadRecordError(text, "is no time of the day")
    whole = days * 86_400 + hours * 3600 + minutes * 60 + seconds - _offset_seconds(zone)
    nanoseconds = int(fraction[:9].ljust(9, "0")) if fraction else 0
    return Moment(_in_range(whole * NS_PER_UNIT["s"] + nanoseconds, text), not zone)


def _offset_seconds(zone: str) -> int:
    if not zone or zone[0] not in "+-":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[3:].lstrip(":") or 0)
    return (-1 if zone[0] == "-" else 1) * (hours * 3600 + minutes * 60)


def _of_number(value: Any, unit: str | None) -> Moment | None:
    try:
        number = decimal_of(value)
    except BadRecordError:
        raise BadRecordError(
            value, "a time must be ISO 8601, such as 2026-12-01T00:00:00Z, or a number"
        ) from None
    if number is None:
        return None
    assumed = _EPOCH_DIGITS.get(len(str(int(abs(number))))) if unit is None else None
    known = unit or assumed
    if known is None:
        raise BadRecordError(
            value, "is a time of unknown unit; name the column with it, such as started_at_ms"
        )
    time_ns = int(EXACT.to_integral_value(EXACT.multiply(number, Decimal(NS_PER_UNIT[known]))))
    return Moment(_in_range(time_ns, value), unit_assumed=assumed)


def _in_range(time_ns: int, value: object) -> int:
    if not 0 <= time_ns <= MAX_NS:
        raise BadRecordError(value, "a time must lie between 1970 and 2262")
    return time_ns
