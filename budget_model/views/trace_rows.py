"""A trace view as the rows of a timeline: which spans of a request, and their parts of the path."""

from __future__ import annotations

from collections import defaultdict

from budget_model.records.trace_view import HopTime, SpanRow, TraceView
from budget_model.services.row_view import RULE as LOG_COLUMN
from budget_model.views import format as words
from budget_model.views import text
from budget_model.views.charts.timeline import Row


def spans_of(view: TraceView, request_id: str) -> list[SpanRow]:
    """The request's spans, parents first."""
    return [row for row in view.rows if row.request_id == request_id]


def hops_of(view: TraceView, request_id: str) -> list[HopTime]:
    """The request's hops that were recorded or hold time, in path order."""
    found = [hop for hop in view.hops if hop.request_id == request_id]
    return [hop for hop in found if hop.path_ms is not None or hop.spans or hop.set_aside]


def timeline_rows(view: TraceView, request_id: str) -> list[Row]:
    """A row a span; where the path names no span (an event log), a row for each of its stages."""
    pieces: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for part in view.segments:
        if part.request_id == request_id and part.span_id:
            pieces[part.span_id].append((part.start_ms, part.end_ms))
    rows = [_row(span, tuple(pieces.get(span.span_id, ()))) for span in spans_of(view, request_id)]
    return rows + _stages(view, request_id)


def _row(span: SpanRow, pieces: tuple[tuple[float, float], ...]) -> Row:
    return Row(
        name=span.name,
        depth=span.depth,
        hop=span.hop,
        start_ms=span.start_ms,
        width_ms=span.duration_ms or 0.0,
        pieces=pieces,
        is_async=span.is_async,
        unknown=_unknown(span),
        failed=span.status == "ERROR" or span.is_failed_attempt,
        note="<br>".join(text.chart(note, 90) for note in notes(span)),
    )


def _unknown(span: SpanRow) -> str:
    """Why a span has no length: an end that is missing is not one at the start."""
    if span.duration_ms is not None:
        return ""
    return "set aside" if span.set_aside else "no end"


def _stages(view: TraceView, request_id: str) -> list[Row]:
    parts = [part for part in view.segments if part.request_id == request_id and not part.span_id]
    return [Row(p.hop, 0, p.hop, p.start_ms, p.end_ms - p.start_ms, ((p.start_ms, p.end_ms),)) for p in parts]


def notes(span: SpanRow) -> list[str]:
    """What is remarkable about a span, in words."""
    said = [
        (span.is_async, "asynchronous: not awaited, not in end to end"),
        (span.is_orphan, "its parent is not in the data: in no time"),
        (span.is_failed_attempt, "a failed attempt: its time is retry"),
        (span.is_virtual, _origin(span)),
        (bool(span.set_aside), f"set aside: {span.set_aside}"),
        (span.status == "ERROR", f"failed: {text.plain(span.status_message or 'no message', 120)}"),
        (span.starts_before_parent_ms is not None, _early(span.starts_before_parent_ms)),
        (span.ends_after_parent_ms is not None, _late(span.ends_after_parent_ms)),
    ]
    return [sentence for holds, sentence in said if holds]


def _origin(span: SpanRow) -> str:
    if span.rule == LOG_COLUMN:
        return "laid out from a column of the request log: how long is known, when is not"
    return "made from durations in its parent's attributes"


def _early(ms: float | None) -> str:
    return f"begins {words.duration(ms)} before its parent"


def _late(ms: float | None) -> str:
    return f"ends {words.duration(ms)} after its parent"
