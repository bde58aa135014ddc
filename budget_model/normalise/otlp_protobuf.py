"""OTLP protobuf: the bytes of one ResourceSpans to spans, refusing single spans that cannot be taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans
from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

from budget_model.normalise.ids import SPAN_ID_BYTES, TRACE_ID_BYTES
from budget_model.normalise.texts import MAX_DEPTH, cut_text, cut_value
from budget_model.records.otlp_wire import MAX_NS
from budget_model.records.raw import TEXT_CUT, RawRecord, ReadOptions
from budget_model.records.rejects import BadRecordError, Reject, Warned
from budget_model.records.spans import KINDS, STATUSES, Attributes, Span, SpanEvent


def normalise(raw: RawRecord, options: ReadOptions) -> Iterator[Span | Reject | Warned]:
    """The spans of one ResourceSpans; spans of one scope share one ``resource`` dict."""
    limit = options.max_text_chars
    try:
        message = ResourceSpans.FromString(raw.payload)
    except DecodeError:
        yield Reject(raw.where, f"{len(raw.payload):,} bytes", "an OTLP ResourceSpans message is accepted")
        return
    number = 0
    for scope in message.scope_spans:
        resource = _resource(message, scope.scope, limit)
        for wire in scope.spans:
            number += 1
            yield from _checked(wire, resource, limit, f"{raw.where}, span {number}")


def _checked(
    wire: WireSpan, resource: Attributes, limit: int, where: str
) -> Iterator[Span | Reject | Warned]:
    try:
        span = _span(wire, resource, limit)
    except BadRecordError as error:
        yield error.at(where)
        return
    yield span
    if TEXT_CUT in span.attributes:
        names = ", ".join(span.attributes[TEXT_CUT][:3])
        yield Warned("text-cut", 1, f"{where}: {names} cut to {limit} characters")


def _span(wire: WireSpan, resource: Attributes, limit: int) -> Span:
    if not 0 < wire.start_time_unix_nano <= MAX_NS or wire.end_time_unix_nano > MAX_NS:
        raise BadRecordError(
            wire.start_time_unix_nano, "start and end must be nanoseconds since 1970, start not zero"
        )
    return Span(
        trace_id=_id(wire.trace_id, TRACE_ID_BYTES, "trace_id"),
        span_id=_id(wire.span_id, SPAN_ID_BYTES, "span_id"),
        parent_id=_id(wire.parent_span_id, SPAN_ID_BYTES, "parent_span_id")
        if any(wire.parent_span_id)
        else "",
        name=cut_text(wire.name, limit),
        kind=_name(wire.kind, KINDS, "kind"),
        service=resource.get("service.name", ""),
        host=resource.get("host.name", ""),
        start_ns=wire.start_time_unix_nano,
        end_ns=wire.end_time_unix_nano or None,
        status=_name(wire.status.code, STATUSES, "status code"),
        status_message=cut_text(wire.status.message, limit),
        attributes=_span_attributes(wire, limit),
        resource=resource,
        events=[_event(event, limit) for event in wire.events],
    )


def _id(value: bytes, size: int, name: str) -> str:
    if len(value) != size or not any(value):
        raise BadRecordError(value.hex() or "no value", f"{name} must be {size} bytes that are not all zero")
    return value.hex()


def _name(value: int, names: tuple[str, ...], name: str) -> str:
    if not 0 <= value < len(names):
        raise BadRecordError(value, f"{name} must be 0 to {len(names) - 1}")
    return names[value]


def _resource(message: ResourceSpans, scope: InstrumentationScope, limit: int) -> Attributes:
    found = _attributes(message.resource.attributes, limit)
    for name in ("service.name", "host.name"):
        if name in found:
            found[name] = str(found[name])
    for name, text in (("otel.scope.name", scope.name), ("otel.scope.version", scope.version)):
        if text:
            found.setdefault(name, cut_text(text, limit))
    return found


def _span_attributes(wire: WireSpan, limit: int) -> Attributes:
    found = _attributes(wire.attributes, limit)
    if wire.links:
        links = [MessageToDict(link) for link in wire.links]
        found.setdefault("otel.links", cut_value(links, limit)[0])
    if wire.trace_state:
        found.setdefault("otel.trace_state", cut_text(wire.trace_state, limit))
    if wire.dropped_attributes_count:
        found.setdefault("otel.dropped_attributes_count", wire.dropped_attributes_count)
    return found


def _event(wire: WireSpan.Event, limit: int) -> SpanEvent:
    if wire.time_unix_nano > MAX_NS:
        raise BadRecordError(wire.time_unix_nano, "an event's time must be nanoseconds since 1970")
    return SpanEvent(cut_text(wire.name, limit), wire.time_unix_nano, _attributes(wire.attributes, limit))


def _attributes(pairs: Iterable[KeyValue], limit: int) -> Attributes:
    found: Attributes = {}
    cut: list[str] = []
    for pair in pairs:
        found[pair.key], was_cut = cut_value(_value(pair.value), limit)
        if was_cut:
            cut.append(pair.key)
    if cut:
        found[TEXT_CUT] = cut
    return found


def _value(value: AnyValue, depth: int = 0) -> Any:
    """The plain value; bytes as base64 text, as OTLP JSON has them."""
    case = value.WhichOneof("value")
    if case is None:
        return None
    if depth >= MAX_DEPTH:
        return msgspec.json.encode(MessageToDict(value)).decode()
    if case == "array_value":
        return [_value(entry, depth + 1) for entry in value.array_value.values]
    if case == "kvlist_value":
        return {pair.key: _value(pair.value, depth + 1) for pair in value.kvlist_value.values}
    found = getattr(value, case)
    return msgspec.to_builtins(found)
