"""Units of time: conversion happens once, on the way in, and formatting once, on the way out."""

from __future__ import annotations

import re
from fractions import Fraction

from budget_model.errors import SettingsError

NS_PER_UNIT: dict[str, int] = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "sec": 1_000_000_000,
    "m": 60_000_000_000,
    "min": 60_000_000_000,
    "h": 3_600_000_000_000,
    "d": 86_400_000_000_000,
}
"""Nanoseconds in one unit, by the unit's written name."""

US_PER_MS = 1_000
US_PER_S = 1_000_000

_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zµ]+)\s*")


def us_to_ms(us: int | float | None) -> float | None:
    """Microseconds as milliseconds; None stays None."""
    return None if us is None else us / US_PER_MS


def parse_duration_ms(text: str) -> float:
    """Read a duration such as ``5s``, ``800ms`` or ``1.5 s`` as milliseconds.

    Raises SettingsError when the number or the unit is missing or unknown, or the number is too large.
    """
    match = _DURATION.fullmatch(text)
    if match is None or match[2] not in NS_PER_UNIT:
        raise SettingsError(f"{text!r} is not a duration; write a number and a unit, such as 5s or 800ms")
    try:
        return float(Fraction(match[1]) * NS_PER_UNIT[match[2]] / NS_PER_UNIT["ms"])
    except (OverflowError, ValueError):  # longer than a number can be, or than Python reads digits
        raise SettingsError(f"a duration of {len(match[1]):,} digits is too long to compute with") from None
