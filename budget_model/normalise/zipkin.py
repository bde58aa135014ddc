"""Zipkin v2 spans: times in microseconds, and one id that both halves of a call may share.

The half of the server then becomes a child of the client's half with the id ``<id>~server``, and
what was called below the shared id belongs to the server, which is where it ran. A server's span
that says it shares its id, but whose client's half is not there, keeps id and parent.
A consumer's span does not hold up the producer above it and is marked asynchronous.
https://zipkin.io/zipkin-api/ and https://github.com/openzipkin/b3-propagation
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budget_model.normalise import loose_ids
from budget_model.normalise.span_fields import (
    kind_of,
    micros_ns,
    plain_attributes,
    remarks,
    required_list,
    required_object,
    short_text,
    span_object,
)
from budget_model.records.raw import RawRecord, ReadOptions
from budget_model.records.rejects import BadRecordError, Reject, Warned
from budget_model.records.spans import Attributes, Span, SpanEvent

SERVER_HALF = "~server"
"""What is added to a shared id to name the server's half."""

REMOTE = "zipkin.remote_endpoint"


def normalise(raw: RawRecord, options: ReadOptions) -> Iterator[Span | Reject | Warned]:
    """The span of a JSON text; the payload also has the ids that two halves of its trace share."""
    span_json, shared = raw.payload
    limit = options.max_text_chars
    try:
        span = _span(span_object(span_json), shared, limit)
    except BadRecordError as error:
        yield error.at(raw.where)
        return
    yield span
    yield from remarks(span, raw.where, limit)


def _span(found: dict[str, Any], shared: frozenset[str], limit: int) -> Span:
    kind = kind_of(found.get("kind"))
    span_id, parent_id = _place(found, kind, shared)
    local = required_object(found.get("localEndpoint"), "localEndpoint")
    tags = required_object(found.get("tags"), "tags")
    events = [_event(entry, limit) for entry in required_list(found.get("annotations"), "annotations")]
    start_ns = _start_ns(found, events)
    duration_ns = micros_ns(found.get("duration"), "duration")
    return Span(
        trace_id=loose_ids.trace_id(found.get("traceId"), "traceId"),
        span_id=span_id,
        parent_id=parent_id,
        name=short_text(found.get("name"), limit),
        kind=kind,
        service=short_text(local.get("serviceName"), limit),
        host=short_text(local.get("ipv4") or local.get("ipv6"), limit),
        start_ns=start_ns,
        end_ns=None if duration_ns is None else start_ns + duration_ns,
        status="ERROR" if "error" in tags else "UNSET",
        status_message=short_text(tags.get("error"), limit),
        attributes=plain_attributes(tags | _remote(found), limit),
        resource=_resource(local, limit),
        events=events,
        is_async=kind == "CONSUMER" and parent_id != "",
    )


def _place(found: dict[str, Any], kind: str, shared: frozenset[str]) -> tuple[str, str]:
    """Own id and parent's id in a tree where the two halves of a call are two spans."""
    own, parent = found.get("id"), found.get("parentId")
    span_id = loose_ids.span_id(own, "id")
    if own in shared and kind == "SERVER":
        return span_id + SERVER_HALF, span_id
    parent_id = loose_ids.parent_id(parent, "parentId")
    return span_id, parent_id + SERVER_HALF if parent in shared else parent_id


def _start_ns(found: dict[str, Any], events: list[SpanEvent]) -> int:
    """The time stamp, or the earliest annotation of a span that has none."""
    start_ns = micros_ns(found.get("timestamp"), "timestamp")
    if not start_ns:
        start_ns = min((event.time_ns for event in events), default=0)
    if start_ns <= 0:
        raise BadRecordError(found.get("timestamp"), "timestamp must be microseconds above zero")
    return start_ns


def _event(value: object, limit: int) -> SpanEvent:
    annotation = required_object(value, "an annotation")
    time_ns = micros_ns(annotation.get("timestamp"), "annotation timestamp") or 0
    return SpanEvent(short_text(annotation.get("value"), limit), time_ns, {})


def _remote(found: dict[str, Any]) -> Attributes:
    remote = required_object(found.get("remoteEndpoint"), "remoteEndpoint")
    return {REMOTE: remote.get("serviceName") or remote} if remote else {}


def _resource(local: dict[str, Any], limit: int) -> Attributes:
    names = {"service.name": local.get("serviceName"), "host.name": local.get("ipv4") or local.get("ipv6")}
    return {name: short_text(value, limit) for name, value in names.items() if value}
