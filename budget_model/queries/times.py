"""Reading and writing the moments people name: UTC to the minute, or a while before now."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from budget_model.errors import FilterError, SettingsError
from budget_model.units import US_PER_MS, parse_duration_ms

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_time_us(text: str, now_us: int | None = None) -> int:
    """``2026-12-01T09:30Z``, a date, or a while ago such as ``7d`` or ``90m``, as UTC microseconds.

    A time without a zone is UTC. Raises FilterError for anything else, or for a while ago where
    ``now_us`` is not known.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return _while_ago_us(text, now_us)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - EPOCH) // timedelta(microseconds=1)


def format_time_us(time_us: int) -> str:
    """A time as ISO UTC: to the minute where that is exact, else to the microsecond.

    >>> format_time_us(1_764_547_200_000_000)
    '2025-12-01T00:00Z'
    """
    moment = (EPOCH + timedelta(microseconds=time_us)).replace(tzinfo=None)
    whole_minute = moment.second == 0 and moment.microsecond == 0
    return moment.isoformat(timespec="minutes" if whole_minute else "auto") + "Z"


def _while_ago_us(text: str, now_us: int | None) -> int:
    accepted = "a UTC time such as 2026-12-01T09:30Z or a while ago such as 7d is accepted"
    try:
        ago_ms = parse_duration_ms(text)
    except SettingsError:
        raise FilterError(f"{text!r} is no time; {accepted}") from None
    if now_us is None:
        raise FilterError(f"{text!r} is counted back from now, which is not known here; name a UTC time")
    return now_us - round(ago_ms * US_PER_MS)
