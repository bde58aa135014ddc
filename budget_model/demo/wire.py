"""OTLP trace JSON as it is written: the specification's spelling, 64-bit integers as text.

Types follow https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import msgspec

INTERNAL, SERVER, CLIENT, PRODUCER, CONSUMER = 1, 2, 3, 4, 5
ERROR = 2

Scalar = str | int | float | bool
_ENCODER = msgspec.json.Encoder()


class OutStatus(msgspec.Struct, gc=False, omit_defaults=True):
    """Status: code 2 is an error."""

    code: int
    message: str = ""


class OutLink(msgspec.Struct, gc=False, rename="camel"):
    """Span.Link."""

    trace_id: str
    span_id: str


class OutSpan(msgspec.Struct, gc=False, rename="camel", omit_defaults=True):
    """Span; ``attributes`` are encoded before."""

    trace_id: str
    span_id: str
    parent_span_id: str
    name: str
    kind: int
    start_time_unix_nano: str
    end_time_unix_nano: str
    attributes: msgspec.Raw | None = None
    links: list[OutLink] | None = None
    status: OutStatus | None = None


def pairs(values: Mapping[str, Scalar]) -> msgspec.Raw:
    """Attributes as an encoded list of KeyValue."""
    return msgspec.Raw(_ENCODER.encode([{"key": key, "value": _any(value)} for key, value in values.items()]))


@cache
def fixed(*names_and_values: tuple[str, Scalar]) -> msgspec.Raw:
    """Attributes that many spans share, encoded once."""
    return pairs(dict(names_and_values))


def _any(value: Scalar) -> dict[str, Scalar]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"stringValue": value}
