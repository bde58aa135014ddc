"""Spans of a flat list: names as in OpenTelemetry, ids of any text, times in ISO 8601 or as numbers.

Ids are kept as they stand, since a name such as ``abc`` is not a number with dropped zeros.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
from budget_model.records.spans import Span, SpanEvent

_MAX_ID_CHARS = 256
_TIME_NAMES = (("{}_time", None), ("{}_time_unix_nano", "ns"), ("{}_time_ns", "ns"))


def normalise(raw: RawRecord, options: ReadOptions) -> Iterator[Span | Reject | Warned]:
    """The span of a JSON text; the payload also has the trace id that stands around it."""
    span_json, trace_id = raw.payload
    times = Times()
    try:
        span = _span(span_object(span_json), trace_id, times, options.max_text_chars)
    except BadRecordError as error:
        yield error.at(raw.where)
        return
    yield span
    yield from remarks(span, raw.where, options.max_text_chars, zone_assumed=times.zone_assumed)


def _span(found: dict[str, Any], trace_id: str, times: Times, limit: int) -> Span:
    status = found.get("status")
    status = status if isinstance(status, dict) else {"code": status}
    resource_value = found.get("resource_attributes", found.get("resource"))
    resource = plain_attributes(required_object(resource_value, "resource_attributes"), limit)
    start_ns = _time(found, "start", times)
    if not start_ns:
        raise BadRecordError(found.get("start_time"), "start_time must be a time above zero")
    return Span(
        trace_id=_id(found.get("trace_id") or trace_id, "trace_id"),
        span_id=_id(found.get("span_id"), "span_id"),
        parent_id=_parent(found.get("parent_span_id", found.get("parent_id"))),
        name=short_text(found.get("name"), limit),
        kind=kind_of(found.get("kind")),
        service=str(resource.get("service.name", "")),
        host=str(resource.get("host.name", "")),
        start_ns=start_ns,
        end_ns=_time(found, "end", times),
        status=status_of(status.get("code", status.get("status_code"))),
        status_message=short_text(status.get("message"), limit),
        attributes=plain_attributes(required_object(found.get("attributes"), "attributes"), limit),
        resource=resource,
        events=[_event(entry, times, limit) for entry in required_list(found.get("events"), "events")],
    )


def _time(found: dict[str, Any], which: str, times: Times) -> int | None:
    for pattern, unit in _TIME_NAMES:
        name = pattern.format(which)
        if found.get(name) is not None:
            return times.ns(found[name], name, unit)
    return None


def _id(value: object, name: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= _MAX_ID_CHARS:
        accepted = f"{name} must be text of 1 to {_MAX_ID_CHARS} characters"
        raise BadRecordError(value or "no value", accepted)
    return value


def _parent(value: object) -> str:
    """The parent's id; none, empty and all zeros mean a root."""
    if value is None or value == "":
        return ""
    parent_id = _id(value, "parent_span_id")
    return parent_id if parent_id.strip("0") else ""


def _event(value: object, times: Times, limit: int) -> SpanEvent:
    event = required_object(value, "an event")
    time_ns = times.ns(event.get("timestamp", event.get("time_unix_nano")), "event timestamp")
    attributes = plain_attributes(required_object(event.get("attributes"), "event attributes"), limit)
    return SpanEvent(short_text(event.get("name"), limit), time_ns or 0, attributes)
