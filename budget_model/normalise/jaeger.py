"""Jaeger spans: times in microseconds, parents as references, status and kind among the tags.

https://www.jaegertracing.io/docs/latest/apis/ and, for the tags that stand for OpenTelemetry's own
fields, https://opentelemetry.io/docs/specs/otel/trace/sdk_exporters/jaeger/
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import msgspec

from budget_model.normalise import loose_ids
from budget_model.normalise.span_fields import (
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
from budget_model.records.spans import KINDS, STATUSES, Attributes, Span, SpanEvent

CHILD_OF, FOLLOWS_FROM = "CHILD_OF", "FOLLOWS_FROM"
LINKS = "otel.links"
"""Attribute that keeps the references other than the one to the parent."""


def normalise(raw: RawRecord, options: ReadOptions) -> Iterator[Span | Reject | Warned]:
    """The span of a pair of JSON texts: the span's own and its process's."""
    span_json, process_json = raw.payload
    limit = options.max_text_chars
    try:
        span = _span(span_object(span_json), _resource(process_json, limit), limit)
    except BadRecordError as error:
        yield error.at(raw.where)
        return
    yield span
    yield from remarks(span, raw.where, limit)


def _span(found: dict[str, Any], resource: Attributes, limit: int) -> Span:
    trace_id = loose_ids.trace_id(found.get("traceID"), "traceID")
    tags = _tags(found.get("tags"), "tags")
    parent_id, is_async, links = _parent(found, trace_id)
    attributes = plain_attributes(tags | ({LINKS: links} if links else {}), limit)
    start_ns = micros_ns(found.get("startTime"), "startTime")
    if start_ns is None or start_ns <= 0:
        raise BadRecordError(found.get("startTime"), "startTime must be microseconds above zero")
    duration_ns = micros_ns(found.get("duration"), "duration")
    return Span(
        trace_id=trace_id,
        span_id=loose_ids.span_id(found.get("spanID"), "spanID"),
        parent_id=parent_id,
        name=short_text(found.get("operationName"), limit),
        kind=_kind(tags),
        service=resource.get("service.name", ""),
        host=resource.get("host.name", ""),
        start_ns=start_ns,
        end_ns=None if duration_ns is None else start_ns + duration_ns,
        status=_status(tags),
        status_message=short_text(tags.get("otel.status_description"), limit),
        attributes=attributes,
        resource=resource,
        events=[_event(log, limit) for log in required_list(found.get("logs"), "logs")],
        is_async=is_async,
    )


def _parent(found: dict[str, Any], trace_id: str) -> tuple[str, bool, list[Any]]:
    """The parent's id, whether it does not wait, and the references that lead elsewhere.

    A CHILD_OF reference wins over a FOLLOWS_FROM one; only the span's own trace holds parents.
    """
    entries = required_list(found.get("references"), "references")
    references = [required_object(entry, "reference") for entry in entries]
    for wanted in (CHILD_OF, FOLLOWS_FROM):
        for reference in references:
            if reference.get("refType") == wanted and _is_inside(reference, trace_id):
                parent_id = loose_ids.parent_id(reference.get("spanID"), "reference spanID")
                others = [_link(other) for other in references if other is not reference]
                return parent_id, wanted == FOLLOWS_FROM and parent_id != "", others
    parent_id = loose_ids.parent_id(found.get("parentSpanID"), "parentSpanID")
    return parent_id, False, [_link(reference) for reference in references]


def _is_inside(reference: dict[str, Any], trace_id: str) -> bool:
    other = reference.get("traceID")
    return not other or loose_ids.trace_id(other, "reference traceID") == trace_id


def _link(reference: dict[str, Any]) -> dict[str, Any]:
    return {name: reference.get(name) for name in ("refType", "traceID", "spanID")}


def _tags(value: object, name: str) -> dict[str, Any]:
    tags: dict[str, Any] = {}
    for tag in required_list(value, name):
        if not isinstance(tag, dict) or not isinstance(tag.get("key"), str):
            raise BadRecordError(tag, f'an entry of {name} must be an object with a "key"')
        tags[tag["key"]] = _tag_value(tag)
    return tags


def _tag_value(tag: dict[str, Any]) -> Any:
    """The value as its type says; numbers and booleans may be written as text."""
    value, kind = tag.get("value"), tag.get("type")
    if not isinstance(value, str) or kind in (None, "string", "binary"):
        return value
    try:
        return {"int64": int, "float64": float}[kind](value) if kind != "bool" else value.lower() == "true"
    except (KeyError, ValueError):
        return value


def _kind(tags: dict[str, Any]) -> str:
    name = str(tags.get("span.kind", "")).upper()
    return name if name in KINDS else KINDS[0]


def _status(tags: dict[str, Any]) -> str:
    code = str(tags.get("otel.status_code", "")).upper()
    if tags.get("error") in (True, "true", "True", 1) or code == "ERROR":
        return "ERROR"
    return code if code in STATUSES else STATUSES[0]


def _event(value: object, limit: int) -> SpanEvent:
    log = required_object(value, "a log")
    fields = _tags(log.get("fields"), "fields")
    time_ns = micros_ns(log.get("timestamp"), "log timestamp") or 0
    return SpanEvent(short_text(fields.get("event", "log"), limit), time_ns, plain_attributes(fields, limit))


@lru_cache(maxsize=2048)
def _resource(process_json: bytes, limit: int) -> Attributes:
    process = required_object(msgspec.json.decode(process_json), "process")
    tags = _tags(process.get("tags"), "process tags")
    resource = plain_attributes(tags, limit)
    resource["service.name"] = short_text(process.get("serviceName"), limit)
    host = next((tags[name] for name in ("host.name", "hostname", "ip") if tags.get(name)), None)
    if host is not None:
        resource["host.name"] = short_text(host, limit)
    return resource
