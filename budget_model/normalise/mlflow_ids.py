"""Ids as MLflow writes them: base64, hexadecimal, ``0x`` before, ``tr-`` before, or any text."""

from __future__ import annotations

import base64
import re

from budget_model.normalise import loose_ids
from budget_model.records.rejects import BadRecordError

PREFIX = "tr-"
_HEX_TRACE = re.compile(r"[0-9a-f]{32}", re.ASCII)
_BASE64_SPAN = re.compile(r"[A-Za-z0-9+/]{11}=", re.ASCII)
_MOST_CHARS = 256


def trace_id(value: object) -> str:
    """The id without ``tr-`` where the rest is 32 hexadecimal digits, so that it meets the same trace
    exported by OpenTelemetry; any other text as it stands. Raises BadRecordError for no id.
    """
    if not isinstance(value, str) or not 0 < len(value) <= _MOST_CHARS:
        shown = "no value" if value in (None, "") else value
        raise BadRecordError(shown, f"trace_id (request_id) must be text of 1 to {_MOST_CHARS} characters")
    bare = value.removeprefix(PREFIX)
    return bare if _HEX_TRACE.fullmatch(bare) else value


def span_id(value: object, name: str) -> str:
    """A span id as 16 hexadecimal digits; other text as it stands. Raises BadRecordError for no id."""
    if isinstance(value, str) and _BASE64_SPAN.fullmatch(value):
        return base64.b64decode(value).hex()
    return loose_ids.span_id(value, name)


def parent_id(value: object, name: str) -> str:
    """As ``span_id``; none, empty and all zeros mean a root and give the empty text."""
    if isinstance(value, str) and _BASE64_SPAN.fullmatch(value):
        raw = base64.b64decode(value)
        return raw.hex() if any(raw) else ""
    return loose_ids.parent_id(value, name)
