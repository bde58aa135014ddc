"""Values of cells: text stays text, a number must be one, and nothing is made up for an empty cell."""

from __future__ import annotations

import re
from decimal import Context, Decimal
from math import isnan
from typing import Any

from budget_model.records.rejects import BadRecordError
from budget_model.units import NS_PER_UNIT

EXACT = Context(prec=60)
"""Wide enough for any number accepted here times any unit without rounding."""

LONGEST_DURATION_NS = 366 * NS_PER_UNIT["d"]
"""No request takes longer than a year; a longer one is a unit mistaken for another."""

MOST_TOKENS = 10**12
"""No request has more tokens; a larger count is a mistake, and sums of such would not fit 64 bits."""

_UNITS = {unit: Decimal(ns) for unit, ns in NS_PER_UNIT.items()}
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_DIGITS = frozenset("0123456789")
_MAX_NUMBER_CHARS = 48
_NO_NUMBER = frozenset({"nan", "null", "none", "n/a", "na"})


def is_empty(value: Any) -> bool:
    """Whether nothing stands in the cell."""
    return value is None or value == ""


def is_no_number(value: Any) -> bool:
    """Whether a numeric cell says that there is no value: NaN, NULL, None or N/A."""
    if isinstance(value, str):
        return value[:1] not in _DIGITS and value.strip().lower() in _NO_NUMBER
    return isinstance(value, float) and isnan(value)


def text_of(value: Any) -> str | None:
    """The cell as text, or None when it is empty; ``007`` and ``NULL`` are texts like any other."""
    if is_empty(value) or (isinstance(value, float) and isnan(value)):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def decimal_of(value: Any, column: str = "the value") -> Decimal | None:
    """The cell as an exact decimal number; None when it is empty or says that it is none.

    Raises BadRecordError naming ``column`` for text that is no plain number (a thousands separator
    could be a decimal one).
    """
    if type(value) is str and len(value) <= _MAX_NUMBER_CHARS and _NUMBER.fullmatch(value):
        return Decimal(value)
    if is_empty(value) or is_no_number(value):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        raise BadRecordError(value, f"{column} must be a number")
    text = value.strip() if isinstance(value, str) else str(value)
    if len(text) > _MAX_NUMBER_CHARS or not _NUMBER.fullmatch(text):
        raise BadRecordError(
            value, f"{column} must be a plain number such as 1500 or 1.5, no thousands separator"
        )
    return Decimal(text)


def duration_ns(value: Any, unit: str, column: str) -> int | None:
    """A duration in whole nanoseconds (half to even); None when the cell holds none.

    Raises BadRecordError when it is no number, negative or longer than a year.
    """
    number = decimal_of(value, column)
    if number is None:
        return None
    if number < 0:
        raise BadRecordError(value, f"{column} must not be negative")
    time_ns = EXACT.multiply(number, _UNITS[unit])
    if time_ns > LONGEST_DURATION_NS:
        raise BadRecordError(value, f"{column} must not be longer than a year; is {unit} its unit?")
    return int(time_ns.to_integral_value(context=EXACT))


def count_of(value: Any, column: str) -> int | None:
    """A whole number of at least 0, at most 10^12; None when the cell holds none. Raises BadRecordError."""
    number = decimal_of(value, column)
    if number is None:
        return None
    if number < 0 or number > MOST_TOKENS or number != int(number):
        raise BadRecordError(value, f"{column} must be a whole number from 0 to 10^12")
    return int(number)
