"""Spans as the OpenTelemetry SDKs print them: ids with ``0x`` before, times in ISO 8601, kinds by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budget_model.normalise import loose_ids
from budget_model.normalise.span_fields import (
    Times,
    kind_of,
    plain_attributes,
    remarks,
    required_list,
    required_object,
    short_text,
    span_object,
    status_of,
)
from budget_model.records.raw import RawRecord, ReadOptions
from budget_model.records.rejects import BadRecordError, Reject, Warned
from budget_model.records.spans import Attributes, Span, SpanEvent

LINKS = "otel.links"


def normalise(raw: RawRecord, options: ReadOptions) -> Iterator[Span | Reject | Warned]:
    """The span of one JSON text."""
    times = Times()
    try:
        span = _span(span_object(raw.payload), times, options.max_text_chars)
    except BadRecordError as error:
        yield error.at(raw.where)
        return
    yield span
    yield from remarks(span, raw.where, options.max_text_chars, zone_assumed=times.zone_assumed)


def _span(found: dict[str, Any], times: Times, limit: int) -> Span:
    context = required_object(found.get("context"), "context")
    status = required_object(found.get("status"), "status")
    resource = _resource(found.get("resource"), limit)
    attributes = plain_attributes(required_object(found.get("attributes"), "attributes"), limit)
    if links := required_list(found.get("links"), "links"):
        attributes.update(plain_attributes({LINKS: links}, limit))
    return Span(
        trace_id=loose_ids.trace_id(context.get("trace_id"), "trace_id"),
        span_id=loose_ids.span_id(context.get("span_id"), "span_id"),
        parent_id=loose_ids.parent_id(found.get("parent_id"), "parent_id"),
        name=short_text(found.get("name"), limit),
        kind=kind_of(found.get("kind")),
        service=str(resource.get("service.name", "")),
        host=str(resource.get("host.name", "")),
        start_ns=times.start_ns(found.get("start_time"), "start_time"),
        end_ns=times.ns(found.get("end_time"), "end_time"),
        status=status_of(status.get("status_code")),
        status_message=short_text(status.get("description"), limit),
        attributes=attributes,
        resource=resource,
        events=[_event(entry, times, limit) for entry in required_list(found.get("events"), "events")],
    )


def _event(value: object, times: Times, limit: int) -> SpanEvent:
    event = required_object(value, "an event")
    return SpanEvent(
        short_text(event.get("name"), limit),
        times.ns(event.get("timestamp"), "event timestamp") or 0,
        plain_attributes(required_object(event.get("attributes"), "event attributes"), limit),
    )


def _resource(value: object, limit: int) -> Attributes:
    """Resource attributes, which older SDKs print without the object around them."""
    resource = required_object(value, "resource")
    inner = resource.get("attributes")
    return plain_attributes(inner if isinstance(inner, dict) else resource, limit)
