"""OTLP traces in JSON: one export request, or a line of the collector's file, to spans.

Most files keep to the specification and are decoded typed, whole, and fast. Whatever does not is
read again span by span the tolerant way (``otlp_spelling``), where a span that cannot be taken is
refused alone and its siblings go in. Scope name and version are kept on the resource as
``otel.scope.name`` and ``otel.scope.version``, links and trace state on the span as ``otel.links``
and ``otel.trace_state``.
"""

from __future__ import annotations

from binascii import unhexlify
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import msgspec

from budget_model.normalise.otlp_envelope import Envelope, spans_of
from budget_model.normalise.otlp_spelling import wire_pairs, wire_scope, wire_span
from budget_model.normalise.otlp_values import attributes_of
from budget_model.normalise.texts import cut_text
from budget_model.records.otlp_wire import (
    MAX_NS,
    SPAN_DIGITS,
    TRACE_DIGITS,
    WireEvent,
    WireExport,
    WirePair,
    WireResource,
    WireScope,
    WireSpan,
    WireWholeSpan,
)
from budget_model.records.raw import TEXT_CUT, RawRecord, ReadOptions
from budget_model.records.rejects import BadRecordError, Reject, Warned, excerpt, why_not_json
from budget_model.records.spans import KINDS, STATUSES, Attributes, Span, SpanEvent

_WHOLE_AT_MOST = 8 * 1024 * 1024  # a larger document is decoded span by span to bound memory
_CACHED_RESOURCE_BYTES = 4096
_CACHED_ATTRIBUTES_BYTES = 1024
_NO_SCOPE = WireScope()
_ZERO_TRACE, _ZERO_SPAN = "0" * TRACE_DIGITS, "0" * SPAN_DIGITS
_LAST_KIND, _LAST_STATUS = len(KINDS) - 1, len(STATUSES) - 1

_export = msgspec.json.Decoder(WireExport, strict=False).decode
_envelope = msgspec.json.Decoder(Envelope).decode
_pairs = msgspec.json.Decoder(list[WirePair], strict=False).decode
_resource = msgspec.json.Decoder(WireResource, strict=False).decode


def normalise(raw: RawRecord, options: ReadOptions) -> Iterator[Span | Reject | Warned]:
    """The spans of one export request given as JSON bytes.

    Spans of one resource and scope share one ``resource`` dict, and spans with equal attributes may
    share those: treat them as read-only.
    """
    limit = options.max_text_chars
    spans = None
    if len(raw.payload) <= _WHOLE_AT_MOST:
        spans = _whole(raw.payload, limit)
    if spans is None:
        yield from _with_cuts(_one_by_one(raw, limit), raw.where, limit)
    elif len(raw.payload) <= limit:  # nothing in it can be long enough to have been cut
        yield from spans
    else:
        yield from _with_cuts(spans, raw.where, limit)


def _whole(payload: bytes, limit: int) -> list[Span] | None:
    """All spans, or None when anything at all is not as the specification has it."""
    spans: list[Span] = []
    try:
        for entry in _export(payload).resource_spans:
            resource_json = bytes(entry.resource)
            for scope in entry.scope_spans:
                resource = resource_of(resource_json, scope.scope or _NO_SCOPE, limit)
                spans += _whole_spans(scope.spans, resource, limit)
        _check_ids(spans)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None
    return spans


def _whole_spans(wires: list[WireWholeSpan], resource: Attributes, limit: int) -> list[Span]:
    """As ``span_of`` for each; written out in one loop, as it runs for every span there is."""
    spans: list[Span] = []
    service, host = resource.get("service.name", ""), resource.get("host.name", "")
    for wire in wires:
        trace_id, span_id, parent_id = wire.trace_id, wire.span_id, wire.parent_span_id
        if trace_id == _ZERO_TRACE or span_id == _ZERO_SPAN or wire.other_parent_id is not None:
            raise BadRecordError(span_id, "an id is not as OTLP specifies")
        if parent_id and (len(parent_id) != SPAN_DIGITS or parent_id == _ZERO_SPAN):
            if parent_id != _ZERO_SPAN:
                raise BadRecordError(parent_id, "an id is not as OTLP specifies")
            parent_id = ""
        attributes = _shared(wire.attributes, limit)
        if wire.links or wire.trace_state or wire.dropped_attributes_count:
            attributes = _with_rare(wire, attributes, limit)
        status, name = wire.status, wire.name
        spans.append(
            Span(
                trace_id,
                span_id,
                parent_id,
                name if len(name) <= limit else cut_text(name, limit),
                KINDS[wire.kind],
                service,
                host,
                wire.start_time_unix_nano,
                wire.end_time_unix_nano or None,
                "UNSET" if status is None else STATUSES[status.code],
                "" if status is None else cut_text(status.message, limit),
                attributes,
                resource,
                [_event(event, limit) for event in wire.events] if wire.events else [],
            )
        )
    return spans


def _check_ids(spans: list[Span]) -> None:
    """Raises ValueError when an id is not hexadecimal; brings all of them to lower case."""
    joined = "".join([span.trace_id + span.span_id + span.parent_id for span in spans])
    unhexlify(joined)
    if joined != joined.lower():
        for span in spans:
            span.trace_id = span.trace_id.lower()
            span.span_id = span.span_id.lower()
            span.parent_id = span.parent_id.lower()


def _one_by_one(raw: RawRecord, limit: int) -> Iterator[Span | Reject]:
    try:
        envelope = _envelope(raw.payload)
        blocks = list(spans_of(envelope))
    except (msgspec.DecodeError, RecursionError) as error:
        yield Reject(raw.where, excerpt(raw.payload), why_not_json(error))
        return
    except BadRecordError as error:
        yield error.at(raw.where)
        return
    number = 0
    for resource_json, scope_json, spans in blocks:
        resource = _tolerant_resource(resource_json, scope_json, limit)
        for span_json in spans:
            number += 1
            yield _tolerant_span(span_json, resource, limit, f"{raw.where}, span {number}")


def _tolerant_resource(resource_json: bytes, scope_json: bytes, limit: int) -> Attributes | BadRecordError:
    try:
        scope = wire_scope(msgspec.json.decode(scope_json))
        return resource_of(resource_json, scope, limit)
    except BadRecordError as error:
        return error
    except (msgspec.DecodeError, RecursionError) as error:
        return BadRecordError(resource_json, why_not_json(error))


def _tolerant_span(
    span_json: bytes, resource: Attributes | BadRecordError, limit: int, where: str
) -> Span | Reject:
    if isinstance(resource, BadRecordError):
        return resource.at(where)
    try:
        return span_of(wire_span(msgspec.json.decode(span_json)), resource, limit)
    except BadRecordError as error:
        return error.at(where)
    except (msgspec.DecodeError, RecursionError) as error:
        return Reject(where, excerpt(span_json), why_not_json(error))


def span_of(wire: WireSpan, resource: Attributes, limit: int) -> Span:
    """A span from its wire form; whether the ids are hexadecimal is left to the caller.

    Raises BadRecordError when a length, a time or a number is not as OTLP specifies.
    """
    parent_id, status = wire.parent_span_id, wire.status
    if not _is_as_specified(wire):
        raise BadRecordError(wire.name, "an id, a time, the kind or the status is not as OTLP specifies")
    attributes = attributes_of(wire.attributes, limit)
    if wire.links or wire.trace_state or wire.dropped_attributes_count:
        attributes = _with_rare(wire, attributes, limit)
    return Span(
        wire.trace_id,
        wire.span_id,
        "" if parent_id == _ZERO_SPAN else parent_id,
        wire.name if len(wire.name) <= limit else cut_text(wire.name, limit),
        KINDS[wire.kind],
        resource.get("service.name", ""),
        resource.get("host.name", ""),
        wire.start_time_unix_nano,
        wire.end_time_unix_nano or None,
        "UNSET" if status is None else STATUSES[status.code],
        "" if status is None else cut_text(status.message, limit),
        attributes,
        resource,
        [_event(event, limit) for event in wire.events] if wire.events else [],
    )


def _is_as_specified(wire: WireSpan) -> bool:
    end_ns, parent_id = wire.end_time_unix_nano, wire.parent_span_id
    return (
        len(wire.trace_id) == TRACE_DIGITS
        and len(wire.span_id) == SPAN_DIGITS
        and (not parent_id or len(parent_id) == SPAN_DIGITS)
        and wire.trace_id != _ZERO_TRACE
        and wire.span_id != _ZERO_SPAN
        and end_ns is not None
        and wire.other_parent_id is None
        and 0 < wire.start_time_unix_nano <= MAX_NS
        and 0 <= end_ns <= MAX_NS
        and 0 <= wire.kind <= _LAST_KIND
        and (wire.status is None or 0 <= wire.status.code <= _LAST_STATUS)
    )


def resource_of(resource_json: bytes, scope: WireScope, limit: int) -> Attributes:
    """The attributes of a resource with the scope's name; one shared dict for equal input."""
    key = (resource_json, scope.name, scope.version, limit)
    return _small_resource(*key) if len(resource_json) <= _CACHED_RESOURCE_BYTES else _build_resource(*key)


def _build_resource(resource_json: bytes, scope_name: str, scope_version: str, limit: int) -> Attributes:
    try:
        attributes = attributes_of(_resource(resource_json).attributes, limit)
    except (msgspec.ValidationError, BadRecordError):
        found = msgspec.json.decode(resource_json)
        attributes = attributes_of(wire_pairs(found.get("attributes") if found else None), limit)
    for name in ("service.name", "host.name"):
        if name in attributes:
            attributes[name] = str(attributes[name])
    for name, text in (("otel.scope.name", scope_name), ("otel.scope.version", scope_version)):
        if text:
            attributes.setdefault(name, text[:limit])
    return attributes


_small_resource = lru_cache(maxsize=2048)(_build_resource)


def _shared(attributes_json: msgspec.Raw, limit: int) -> Attributes:
    """The attributes of a span; one shared dict for equal input, as long as that is short."""
    if len(attributes_json) <= _CACHED_ATTRIBUTES_BYTES:
        return _small_attributes(bytes(attributes_json), limit)
    return attributes_of(_pairs(attributes_json), limit)


def _build_attributes(attributes_json: bytes, limit: int) -> Attributes:
    return attributes_of(_pairs(attributes_json), limit)


_small_attributes = lru_cache(maxsize=4096)(_build_attributes)


def _event(wire: WireEvent, limit: int) -> SpanEvent:
    return SpanEvent(wire.name[:limit], wire.time_unix_nano, attributes_of(wire.attributes, limit))


def _with_rare(wire: WireSpan | WireWholeSpan, attributes: Attributes, limit: int) -> Attributes:
    attributes = attributes.copy()
    links: list[Any] = [msgspec.json.decode(link) for link in wire.links]
    if links:
        attributes.setdefault("otel.links", links if len(str(links)) <= limit else f"{len(links)} links")
    if wire.trace_state:
        attributes.setdefault("otel.trace_state", wire.trace_state[:limit])
    if wire.dropped_attributes_count:
        attributes.setdefault("otel.dropped_attributes_count", wire.dropped_attributes_count)
    return attributes


def _with_cuts(spans: Iterable[Span | Reject], where: str, limit: int) -> Iterator[Span | Reject | Warned]:
    for item in spans:
        yield item
        if isinstance(item, Span) and TEXT_CUT in item.attributes:
            yield _text_cut(item, where, limit)


def _text_cut(span: Span, where: str, limit: int) -> Warned:
    names = ", ".join(span.attributes[TEXT_CUT][:3])
    return Warned("text-cut", 1, f"{where}, span {span.span_id}: {names} cut to {limit} characters")
