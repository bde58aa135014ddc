"""One span of an MLflow trace, in the shape of schema 2, of schema 3, or of MLflow's REST API."""

from __future__ import annotations

from typing import Any

import msgspec

from budget_model.normalise import mlflow_ids
from budget_model.normalise.otlp_spelling import wire_pairs
from budget_model.normalise.otlp_values import attributes_of
from budget_model.normalise.span_fields import (
    Times,
    kind_of,
    plain_attributes,
    required_list,
    required_object,
    short_text,
    status_of,
)
from budget_model.normalise.texts import cut_text
from budget_model.records.raw import TEXT_CUT
from budget_model.records.rejects import BadRecordError
from budget_model.records.spans import Attributes, Span, SpanEvent

LINKS = "otel.links"
_DISTANT_US = 10**17
"""Event times below this count microseconds: as nanoseconds they would lie in 1973."""

_value = msgspec.json.Decoder().decode


def span_of(found: dict[str, Any], trace_id: str, resource: Attributes, limit: int) -> Span:
    """The span of one JSON object. Raises BadRecordError naming the value and what is accepted."""
    times = Times()
    context = required_object(found.get("context"), "context")
    status = required_object(found.get("status"), "status")
    attributes = attributes_from(found.get("attributes"), limit)
    if links := required_list(found.get("links"), "links"):
        attributes |= plain_attributes({LINKS: links}, limit)
    service = attributes.get("service.name", resource.get("service.name", ""))
    start = found.get("start_time_unix_nano", found.get("start_time"))
    end = found.get("end_time_unix_nano", found.get("end_time"))
    return Span(
        trace_id=trace_id,
        span_id=mlflow_ids.span_id(found.get("span_id", context.get("span_id")), "span_id"),
        parent_id=mlflow_ids.parent_id(found.get("parent_span_id", found.get("parent_id")), "parent_span_id"),
        name=short_text(found.get("name"), limit),
        kind=kind_of(found.get("kind")),
        service=str(service),
        host=str(resource.get("host.name", "")),
        start_ns=times.start_ns(start, "start_time_unix_nano", "ns"),
        end_ns=times.ns(end, "end_time_unix_nano", "ns") or None,
        status=status_of(status.get("code", found.get("status_code"))),
        status_message=short_text(status.get("message", found.get("status_message")), limit),
        attributes=attributes,
        resource=resource,
        events=[_event(entry, times, limit) for entry in required_list(found.get("events"), "events")],
    )


def attributes_from(value: object, limit: int) -> Attributes:
    """Attributes as OTLP pairs (REST), or as an object whose values are JSON text (``to_json``)."""
    if isinstance(value, list):
        return attributes_of(wire_pairs(value), limit)
    kept: Attributes = {}
    cut: list[str] = []
    for name, text in required_object(value, "attributes").items():
        if isinstance(text, str) and len(text) > limit:
            kept[name] = cut_text(text, limit)
            cut.append(name)
        else:
            kept[name] = unquoted(text) if isinstance(text, str) else text
    if cut:
        kept[TEXT_CUT] = cut
    return kept


def unquoted(text: str) -> Any:
    """The value that JSON text stands for; text that is no JSON stands for itself."""
    if len(text) > 1 and text[0] == text[-1] == '"' and "\\" not in text:
        return text[1:-1]
    try:
        value = _value(text)
    except (msgspec.DecodeError, RecursionError):
        return text
    return text if isinstance(value, int) and not -(2**63) <= value < 2**63 else value


def _event(value: object, times: Times, limit: int) -> SpanEvent:
    event = required_object(value, "an event")
    time = event.get("time_unix_nano", event.get("timestamp"))
    unit = "us" if isinstance(time, int) and time < _DISTANT_US else "ns"
    attributes = attributes_from(event.get("attributes"), limit)
    return SpanEvent(
        short_text(event.get("name"), limit), times.ns(time, "event time", unit) or 0, attributes
    )


def check_object(value: object) -> dict[str, Any]:
    """A span as an object. Raises BadRecordError when it is anything else."""
    if not isinstance(value, dict):
        raise BadRecordError(value, "a span must be a JSON object")
    return value
