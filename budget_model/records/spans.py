"""A span or a log event as every format is brought to, before hops are known."""

from __future__ import annotations

from typing import Any

import msgspec

Attributes = dict[str, Any]
"""Attribute names to JSON values (text, numbers, booleans, lists, objects)."""


class SpanEvent(msgspec.Struct, frozen=True, gc=False):
    """A moment inside a span, such as the first token of a stream."""

    name: str
    time_ns: int
    attributes: Attributes


class Span(msgspec.Struct, gc=False):
    """One unit of recorded work; times are UTC nanoseconds since the epoch, exactly as sent.

    ``end_ns`` is None when the source gave none or zero. ``record`` is ``"event"`` for a line of
    an event log, which is kept like a span of no width so that it is stored, deduplicated and
    rebuilt the same way. ``is_async`` marks work linked to, but not awaited by, its parent.
    """

    trace_id: str
    span_id: str
    parent_id: str
    name: str
    kind: str
    service: str
    host: str
    start_ns: int
    end_ns: int | None
    status: str
    status_message: str
    attributes: Attributes
    resource: Attributes
    events: list[SpanEvent]
    is_async: bool = False
    record: str = "span"


KINDS = ("UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER")
"""Span kinds by their OTLP number."""

STATUSES = ("UNSET", "OK", "ERROR")
"""Span statuses by their OTLP number."""
