"""A log with one row an event: each becomes a span of no width in the trace of its request.

``request_id``, ``event`` and a time (``ts_unix_nano``, ``ts_ms``, ``timestamp`` ...) must be there;
every other field that is not empty is kept as an attribute. An event has no id of its own, so its
content is its id: the same row twice is one event. The same events as CSV and as JSON lines are
equal, for which counts and status codes of a CSV are read as numbers and all else stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from budget_model.normalise.cells import count_of, is_empty, text_of
from budget_model.normalise.keys import content_digest
from budget_model.normalise.span_fields import Times, plain_attributes, remarks
from budget_model.normalise.times import OLDEST_EPOCH_NS
from budget_model.normalise.vocabulary import event_names as names
from budget_model.records.columns import Plan, plan_of
from budget_model.records.raw import RawRecord, ReadOptions
from budget_model.records.rejects import BadRecordError, Reject, Warned
from budget_model.records.rows import plain_name
from budget_model.records.spans import Attributes, Span

TOKEN_EVENTS = frozenset({"chunk", "token", "delta", "usage"})
"""Events that carry tokens or count them."""

KNOWN = (
    names.STARTS
    | names.ENDS
    | names.LAST_TOKENS
    | names.ERRORS
    | names.CANCELS
    | names.ATTEMPTS
    | names.FIRST_TOKENS
    | names.BEGINNINGS
    | names.MILESTONES.keys()
    | TOKEN_EVENTS
)
"""Every event name whose meaning is known."""

_MASK = 2**64 - 1
_MAX_ID_CHARS = 256
_NUMERIC = re.compile(r"(.*_)?(tokens|status|status_code|attempt|attempts|index)")
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})", re.ASCII)


def normalise(raw: RawRecord, options: ReadOptions) -> Iterator[Span | Reject | Warned]:
    """The event of one row, or its refusal; and what is worth saying about it."""
    times = Times()
    try:
        span = _event(raw.payload, times, options.max_text_chars)
    except BadRecordError as error:
        yield error.at(raw.where)
        return
    yield span
    yield from remarks(span, raw.where, options.max_text_chars, zone_assumed=times.zone_assumed)
    if span.name.casefold() not in KNOWN:
        yield Warned("unknown-event", 1, f"{raw.where}: the event {span.name!r} has no known meaning")
    if span.start_ns < OLDEST_EPOCH_NS:
        yield Warned("time-relative", 1, f"{raw.where}: the time counts from no known moment")


def _event(cells: dict[str, Any], times: Times, limit: int) -> Span:
    plan = plan_of(tuple(cells))
    request_id = _required(cells, plan.values.get("request_id") or plan.values.get("trace_id"), "request_id")
    event_column = next((column for column in cells if plain_name(column) == "event"), None)
    name = _required(cells, event_column, "event")
    time_ns = _time_ns(cells, plan, times)
    taken = {plan.values.get("request_id"), event_column, plan.time.column if plan.time else None}
    attributes = plain_attributes(_fields(cells, taken), limit)
    digest = content_digest([request_id, time_ns, name, attributes])
    return Span(
        trace_id=request_id,
        span_id=f"{digest & _MASK:016x}",
        parent_id="",
        name=name,
        kind="UNSPECIFIED",
        service="",
        host="",
        start_ns=time_ns,
        end_ns=time_ns,
        status="UNSET",
        status_message="",
        attributes=attributes,
        resource={},
        events=[],
        record="event",
    )


def _required(cells: dict[str, Any], column: str | None, meaning: str) -> str:
    text = text_of(cells[column]) if column is not None else None
    if text is None or len(text) > _MAX_ID_CHARS:
        shown = "no value" if text is None else text
        raise BadRecordError(shown, f"{meaning} must be there and have 1 to {_MAX_ID_CHARS} characters")
    return text


def _time_ns(cells: dict[str, Any], plan: Plan, times: Times) -> int:
    if plan.time is None:
        raise BadRecordError("no value", "an event needs a time, such as ts_unix_nano, ts_ms or timestamp")
    time_ns = times.ns(cells[plan.time.column], plan.time.column, plan.time.unit)
    if time_ns is None:
        raise BadRecordError("no value", f"an event needs a time; {plan.time.column} is empty")
    return time_ns


def _fields(cells: dict[str, Any], taken: set[str | None]) -> Attributes:
    return {
        column: _field(column, value)
        for column, value in cells.items()
        if column not in taken and not is_empty(value)
    }


def _field(column: str, value: Any) -> Any:
    if column == "n_tokens":
        return count_of(value, column)
    if isinstance(value, str) and _NUMERIC.fullmatch(plain_name(column)) and _WHOLE.fullmatch(value):
        return int(value)
    return value
