"""Trace and span ids in the spellings seen in files, brought to lower-case hexadecimal."""

from __future__ import annotations

import base64
import binascii

from budget_model.records.rejects import BadRecordError

TRACE_ID_BYTES = 16
SPAN_ID_BYTES = 8


def trace_id(value: object) -> str:
    """A trace id as 32 hexadecimal digits. Raises BadRecordError for any other length or for all zeros."""
    return _required(value, TRACE_ID_BYTES, "traceId")


def span_id(value: object) -> str:
    """A span id as 16 hexadecimal digits. Raises BadRecordError for any other length or for all zeros."""
    return _required(value, SPAN_ID_BYTES, "spanId")


def parent_id(value: object) -> str:
    """A parent's span id; none, empty and all zeros mean a root and give the empty text."""
    if value is None or value == "":
        return ""
    raw = _id_bytes(value, SPAN_ID_BYTES, "parentSpanId")
    return raw.hex() if any(raw) else ""


def _required(value: object, size: int, name: str) -> str:
    raw = _id_bytes(value, size, name)
    if not any(raw):
        raise BadRecordError(value, f"{name} is all zeros, which OTLP forbids")
    return raw.hex()


def _id_bytes(value: object, size: int, name: str) -> bytes:
    accepted = f"{name} must be {size * 2} hexadecimal digits or base64 of {size} bytes"
    if not isinstance(value, str) or not value:
        raise BadRecordError("no value" if value in (None, "") else value, accepted)
    try:
        raw = binascii.unhexlify(value) if len(value) == size * 2 else base64.b64decode(value, validate=True)
    except ValueError:
        raise BadRecordError(value, accepted) from None
    if len(raw) != size:
        raise BadRecordError(value, accepted)
    return raw
