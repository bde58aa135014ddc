"""Ids in formats that do not fix their length: padded when leading zeros were dropped, else kept."""

from __future__ import annotations

import re

from budget_model.records.rejects import BadRecordError

SPAN_DIGITS = 16
TRACE_DIGITS = 32

_HEX = re.compile(r"[0-9a-fA-F]+", re.ASCII)
_MAX_CHARS = 256


def trace_id(value: object, name: str) -> str:
    """A trace id: hexadecimal of up to 16 digits is padded to 16, a longer one to 32.

    Text that is no hexadecimal number is an id as it stands. Raises BadRecordError for no id.
    """
    found = padded(value, name, (SPAN_DIGITS, TRACE_DIGITS))
    if not found:
        raise BadRecordError("no value" if value in (None, "") else value, f"{name} must be an id, not zeros")
    return found


def span_id(value: object, name: str) -> str:
    """A span id: hexadecimal is padded to 16 digits. Raises BadRecordError for no id."""
    found = padded(value, name, (SPAN_DIGITS,))
    if not found:
        raise BadRecordError("no value" if value in (None, "") else value, f"{name} must be an id, not zeros")
    return found


def parent_id(value: object, name: str) -> str:
    """A parent's span id; none, empty and all zeros mean a root and give the empty text."""
    return padded(value, name, (SPAN_DIGITS,))


def padded(value: object, name: str, lengths: tuple[int, ...]) -> str:
    """The id at the shortest of ``lengths`` that holds it; empty for none and for all zeros."""
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or len(value) > _MAX_CHARS:
        raise BadRecordError(value, f"{name} must be text of at most {_MAX_CHARS} characters")
    digits = value.removeprefix("0x")
    if not _HEX.fullmatch(digits) or len(digits) > lengths[-1]:
        return value
    if not digits.strip("0"):
        return ""
    return digits.lower().zfill(next(length for length in lengths if len(digits) <= length))
