"""OTLP traces in JSON as they stand on the wire, for typed decoding.

Only the spelling of the specification decodes into these types (camel case, lists that are lists);
anything else fails to decode or lacks a required field, which sends it the tolerant way. Decoders
are made with ``strict=False`` because 64-bit integers may be text.
Types follow https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from budget_model.records.spans import KINDS, STATUSES

TRACE_DIGITS, SPAN_DIGITS = 32, 16
MAX_NS = 2**63 - 1
"""The latest time that fits a signed 64-bit count of nanoseconds; it is in the year 2262."""

RAW_EMPTY_OBJECT = msgspec.Raw(b"{}")
RAW_EMPTY_LIST = msgspec.Raw(b"[]")
RAW_ABSENT = msgspec.Raw(b"")
"""Stands where a field is absent; unlike any JSON value it is false."""
RAW_NULL = msgspec.Raw(b"null")
"""Stands in ``array_value`` of an AnyValue that is known to be empty, and not merely spelled otherwise."""


class WireValue(msgspec.Struct, gc=False, rename="camel"):
    """AnyValue: at most one field is set."""

    string_value: str | None = None
    int_value: int | None = None
    double_value: float | None = None
    bool_value: bool | None = None
    array_value: msgspec.Raw = RAW_ABSENT
    kvlist_value: msgspec.Raw = RAW_ABSENT
    bytes_value: str | None = None


class WirePair(msgspec.Struct, gc=False):
    """KeyValue."""

    key: str
    value: WireValue


class WireEvent(msgspec.Struct, gc=False, rename="camel"):
    """Span.Event."""

    time_unix_nano: int
    name: str = ""
    attributes: list[WirePair] = []


class WireStatus(msgspec.Struct, gc=False):
    """Status: code 0 unset, 1 ok, 2 error."""

    code: int = 0
    message: str = ""


class WireWholeStatus(WireStatus, gc=False):
    """Status with a code that is one of the three."""

    code: Annotated[int, msgspec.Meta(ge=0, lt=len(STATUSES))] = 0


class WireSpan(msgspec.Struct, gc=False, rename="camel"):
    """Span. Ids are 32 and 16 hexadecimal digits; times are nanoseconds.

    ``end_time_unix_nano`` None and ``other_parent_id`` not None tell that the span may be spelled in
    another way; 0 is an end that was not recorded.
    """

    trace_id: str
    span_id: str
    start_time_unix_nano: int
    parent_span_id: str = ""
    name: str = ""
    kind: int = 0
    end_time_unix_nano: int | None = None
    attributes: list[WirePair] = []
    status: WireStatus | None = None
    events: list[WireEvent] = []
    links: list[msgspec.Raw] = []
    trace_state: str = ""
    dropped_attributes_count: int = 0
    other_parent_id: str | None = msgspec.field(name="parent_span_id", default=None)


class WireWholeSpan(msgspec.Struct, gc=False, rename="camel"):
    """A span exactly as specified, to be decoded with all others of its export or not at all.

    Its attributes stay undecoded: many spans carry the same, and those are decoded once.
    """

    trace_id: Annotated[str, msgspec.Meta(min_length=TRACE_DIGITS, max_length=TRACE_DIGITS)]
    span_id: Annotated[str, msgspec.Meta(min_length=SPAN_DIGITS, max_length=SPAN_DIGITS)]
    start_time_unix_nano: Annotated[int, msgspec.Meta(gt=0, le=MAX_NS)]
    end_time_unix_nano: Annotated[int, msgspec.Meta(ge=0, le=MAX_NS)]
    parent_span_id: Annotated[str, msgspec.Meta(max_length=SPAN_DIGITS)] = ""
    name: str = ""
    kind: Annotated[int, msgspec.Meta(ge=0, lt=len(KINDS))] = 0
    attributes: msgspec.Raw = RAW_EMPTY_LIST
    status: WireWholeStatus | None = None
    events: list[WireEvent] = []
    links: list[msgspec.Raw] = []
    trace_state: str = ""
    dropped_attributes_count: int = 0
    other_parent_id: str | None = msgspec.field(name="parent_span_id", default=None)


class WireScope(msgspec.Struct, gc=False):
    """InstrumentationScope; its attributes are not used."""

    name: str = ""
    version: str = ""


class WireScopeSpans(msgspec.Struct, gc=False):
    """ScopeSpans."""

    spans: list[WireWholeSpan]
    scope: WireScope | None = None


class WireResourceSpans(msgspec.Struct, gc=False):
    """ResourceSpans. The resource stays undecoded: it repeats, and is decoded once."""

    scope_spans: list[WireScopeSpans] = msgspec.field(name="scopeSpans")
    resource: msgspec.Raw = RAW_EMPTY_OBJECT


class WireExport(msgspec.Struct, gc=False):
    """ExportTraceServiceRequest, which is also TracesData and a line of the collector's file exporter."""

    resource_spans: list[WireResourceSpans] = msgspec.field(name="resourceSpans")


class WireResource(msgspec.Struct, gc=False):
    """Resource."""

    attributes: list[WirePair] = []
