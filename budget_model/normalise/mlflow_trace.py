"""Traces of MLflow: schema 2 and 3 as ``Trace.to_json()`` writes them, and the shape of its REST API.

A user's own tags are put on the resource of every span, and what MLflow keeps of the trace as a
whole on its root, so that both go through the same vocabularies as OpenTelemetry's. A trace of which
no span is known is one span made from what MLflow says of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from budget_model.normalise.mlflow_info import INFO_ONLY, PAGES, Info, info_of
from budget_model.normalise.mlflow_spans import check_object, span_of
from budget_model.normalise.span_fields import remarks, required_list, required_object
from budget_model.normalise.vocabulary.dimension_names import TOKEN_USAGE, TOKENS
from budget_model.records.raw import SEEN, RawRecord, ReadOptions
from budget_model.records.rejects import BadRecordError, Reject, Warned, why_not_json
from budget_model.records.spans import Attributes, Span

_TOTALS = TOKEN_USAGE[1]
_COUNTED = frozenset({TOKEN_USAGE[0], *TOKENS["prompt_tokens"], *TOKENS["output_tokens"]})

_object = msgspec.json.Decoder(dict[str, Any]).decode


def normalise(raw: RawRecord, options: ReadOptions) -> Iterator[Span | Reject | Warned]:
    """The spans of one trace given as JSON text. Spans share one ``resource`` dict: treat it as read-only."""
    limit = options.max_text_chars
    try:
        info, spans = _parts(_object(raw.payload), limit)
    except (msgspec.DecodeError, RecursionError) as error:
        yield BadRecordError(raw.payload, why_not_json(error)).at(raw.where)
        return
    except BadRecordError as error:
        yield error.at(raw.where)
        return
    yield from _spans(info, spans, raw.where, limit) if spans else _made(info, raw.where)


def _parts(found: dict[str, Any], limit: int) -> tuple[Info, list[Any]]:
    """The trace's info and its spans, wherever the three shapes keep them."""
    trace = required_object(found.get("trace", found), "trace")
    data = required_object(trace.get("data", trace), "data")
    info = info_of(required_object(trace.get("info", trace.get("trace_info")), "info"), limit)
    for name, value in ((SEEN, found.get("tailbudget_seen")), (PAGES, found.get("tailbudget_origin"))):
        if value is not None:
            info.resource[name] = value
    return info, required_list(data.get("spans", trace.get("spans")), "spans")


def _spans(info: Info, found: list[Any], where: str, limit: int) -> Iterator[Span | Reject | Warned]:
    taken: list[Span] = []
    for number, one in enumerate(found, 1):
        place = f"{where}, span {number}"
        try:
            span = span_of(check_object(one), info.trace_id, info.resource, limit)
        except BadRecordError as error:
            yield error.at(place)
            continue
        taken.append(span)
        yield from remarks(span, place, limit)
    if taken:
        _tell(info, taken)
    yield from taken


def _tell(info: Info, spans: list[Span]) -> None:
    """Put what is known of the whole trace on its root, else on its first span."""
    root = next((span for span in spans if not span.parent_id), spans[0])
    root.attributes = _details(info, spans) | root.attributes


def _details(info: Info, spans: list[Span]) -> Attributes:
    """The trace's own totals of tokens are left to the spans that were counted, where there are any."""
    if any(not _COUNTED.isdisjoint(span.attributes) for span in spans):
        return {name: value for name, value in info.details.items() if name != _TOTALS}
    return info.details


def _made(info: Info, where: str) -> Iterator[Span | Reject | Warned]:
    if info.start_ns is None:
        yield Reject(
            where, info.trace_id, "a trace without spans must have a time (request_time, timestamp_ms)"
        )
        return
    yield Span(
        trace_id=info.trace_id,
        span_id="trace-info",
        parent_id="",
        name=info.name,
        kind="UNSPECIFIED",
        service=str(info.resource.get("service.name", "")),
        host="",
        start_ns=info.start_ns,
        end_ns=info.end_ns,
        status="ERROR" if info.state == "ERROR" else "UNSET",
        status_message="",
        attributes=info.details | {INFO_ONLY: True},
        resource=info.resource,
        events=[],
    )
    yield Warned("no-spans", 1, f"{where}: trace {info.trace_id} has no spans, so none of its time has a hop")
