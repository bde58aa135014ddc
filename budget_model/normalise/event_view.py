"""One event-log request as a trace view: a row for each event, a path segment for each stage."""

from __future__ import annotations

from budget_model.domain.hops import HOPS
from budget_model.normalise.duplicates import Deduped
from budget_model.normalise.event_requests import assemble_events
from budget_model.normalise.rules import Rules
from budget_model.normalise.stream import Stream, in_order, read_stream
from budget_model.records.facts import RequestFact
from budget_model.records.spans import Span
from budget_model.records.trace_view import HopTime, PathSegment, SpanRow, TraceView

_NS_PER_MS = 1_000_000
_US_PER_MS = 1_000


def explain_events(once: Deduped, rules: Rules) -> TraceView:
    """The view of one request from its events; figures are those of its fact."""
    ordered = in_order(once.kept)
    fact = assemble_events(ordered, rules)[0][0]
    stream = read_stream(ordered)
    return TraceView(
        trace_id=fact.trace_id,
        start_ns=stream.start,
        extent_ms=_ms(ordered[-1].start_ns - ordered[0].start_ns),
        requests=(fact,),
        rows=tuple(_row(event, fact, stream) for event in ordered),
        segments=tuple(
            PathSegment(fact.request_id, "", HOPS[hop].value, _ms(a - stream.start), _ms(b - stream.start))
            for a, b, hop in stream.stages
            if b > a
        ),
        hops=_hops(fact, stream),
        names=(),
        orphans=0,
        duplicates=once.duplicates,
        conflicts=once.conflicts,
        skew_corrected=False,
    )


def _row(event: Span, fact: RequestFact, stream: Stream) -> SpanRow:
    return SpanRow(
        request_id=fact.request_id,
        span_id=event.span_id,
        parent_id="",
        name=event.name,
        service=event.service,
        host=event.host,
        kind="EVENT",
        hop=_hop_at(event.start_ns, stream),
        hop_before=None,
        first_token_ms=None,
        rule="the stage this event ends",
        depth=0,
        start_ms=_ms(event.start_ns - stream.start),
        duration_ms=0.0,
        self_ms=0.0,
        self_is_upper_bound=False,
        status=event.status,
        status_message=event.status_message,
        is_async=False,
        is_orphan=False,
        is_failed_attempt=False,
        is_virtual=False,
        set_aside="",
        starts_before_parent_ms=None,
        ends_after_parent_ms=None,
        raw_start_ns=event.start_ns,
        raw_end_ns=event.end_ns,
        attributes=event.attributes,
        resource=event.resource,
        events=(),
    )


def _hop_at(time: int, stream: Stream) -> str:
    for start, end, hop in stream.stages:
        if start < time <= end:
            return HOPS[hop].value
    return HOPS[-1].value


def _hops(fact: RequestFact, stream: Stream) -> tuple[HopTime, ...]:
    counts = [sum(1 for stage in stream.stages if stage[2] == index) for index in range(len(HOPS))]
    return tuple(
        HopTime(
            request_id=fact.request_id,
            hop=hop.value,
            path_ms=_from_us(fact.path_us[index]),
            wall_ms=_from_us(fact.wall_us[index]),
            busy_ms=_from_us(fact.wall_us[index]),
            spans=counts[index],
            set_aside=0,
        )
        for index, hop in enumerate(HOPS)
    )


def _from_us(us: int | None) -> float | None:
    return None if us is None else us / _US_PER_MS


def _ms(ns: int) -> float:
    return ns / _NS_PER_MS
