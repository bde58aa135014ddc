"""Spans for tests, in milliseconds from a fixed moment, with everything else filled in."""

from __future__ import annotations

from typing import Any

from budget_model.records.spans import Span, SpanEvent

MS = 1_000_000
START_NS = 1_796_083_200_000_000_000
"""1 December 2026, 00:00 UTC."""


def span(
    span_id: str,
    parent_id: str,
    name: str,
    start_ms: float,
    end_ms: float | None,
    *,
    trace_id: str = "c0ffee",
    kind: str = "INTERNAL",
    service: str = "app",
    host: str = "h1",
    status: str = "UNSET",
    message: str = "",
    attributes: dict[str, Any] | None = None,
    resource: dict[str, Any] | None = None,
    events: dict[str, float] | None = None,
    is_async: bool = False,
) -> Span:
    """A span from ``start_ms`` to ``end_ms`` (None: unfinished); ``events`` are names and times in ms."""
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_id=parent_id,
        name=name,
        kind=kind,
        service=service,
        host=host,
        start_ns=at(start_ms),
        end_ns=None if end_ms is None else at(end_ms),
        status=status,
        status_message=message,
        attributes=attributes or {},
        resource=resource or {},
        events=[SpanEvent(event, at(time), {}) for event, time in (events or {}).items()],
        is_async=is_async,
    )


def event(request_id: str, time_ns: int, name: str, **attributes: Any) -> Span:
    """A line of an event log; its id is made of everything it says."""
    return Span(
        trace_id=request_id,
        span_id=f"{time_ns}-{name}-{sorted(attributes.items())}",
        parent_id="",
        name=name,
        kind="UNSPECIFIED",
        service="",
        host="",
        start_ns=time_ns,
        end_ns=None,
        status="UNSET",
        status_message="",
        attributes=attributes,
        resource={},
        events=[],
        record="event",
    )


def at(ms: float) -> int:
    """Nanoseconds of ``ms`` milliseconds after ``START_NS``."""
    return START_NS + round(ms * MS)
