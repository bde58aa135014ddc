"""One trace as a page draws it: every span, the critical path, hops busy and walled."""

from __future__ import annotations

from dataclasses import dataclass, field

from budget_model.records.facts import RequestFact
from budget_model.records.spans import Attributes


@dataclass(frozen=True, slots=True)
class SpanRow:
    """One span of the trace; rows are parents first, siblings by start.

    ``start_ms`` counts from the trace's first root (negative: it began before). ``duration_ms`` is
    None for a span without a usable end. ``self_ms`` is the duration less the union of the awaited
    children's intervals cut to the span; ``self_is_upper_bound`` when a child had no usable duration.
    ``hop`` is where the self time goes; ``hop_before`` is set, with ``first_token_ms``, when the self
    time before the first token goes elsewhere. ``rule`` says what decided. ``raw_start_ns`` and
    ``raw_end_ns`` are as sent, whatever was corrected.
    """

    request_id: str
    span_id: str
    parent_id: str
    name: str
    service: str
    host: str
    kind: str
    hop: str
    hop_before: str | None
    first_token_ms: float | None
    rule: str
    depth: int
    start_ms: float
    duration_ms: float | None
    self_ms: float | None
    self_is_upper_bound: bool
    status: str
    status_message: str
    is_async: bool
    is_orphan: bool
    is_failed_attempt: bool
    is_virtual: bool
    set_aside: str  # "", "unfinished" or "negative duration"
    starts_before_parent_ms: float | None
    ends_after_parent_ms: float | None
    raw_start_ns: int
    raw_end_ns: int | None
    attributes: Attributes = field(repr=False)
    resource: Attributes = field(repr=False)
    events: tuple[tuple[str, float, Attributes], ...] = field(repr=False)  # name, start_ms, attributes


@dataclass(frozen=True, slots=True)
class PathSegment:
    """A part of the critical path: who held the time between two moments, and the hop it goes to."""

    request_id: str
    span_id: str
    hop: str
    start_ms: float
    end_ms: float


@dataclass(frozen=True, slots=True)
class HopTime:
    """One hop of one request. ``path_ms`` adds to the end-to-end time over all hops.

    ``wall_ms`` is the union of the hop's spans, ``busy_ms`` their sum (parallel work counts twice),
    ``spans`` how many there are and ``set_aside`` how many had no usable duration. Times are None
    for what was not recorded.
    """

    request_id: str
    hop: str
    path_ms: float | None
    wall_ms: float | None
    busy_ms: float | None
    spans: int
    set_aside: int


@dataclass(frozen=True, slots=True)
class NameTime:
    """All awaited spans of one name in a request: busy is the sum, wall the union of their intervals."""

    request_id: str
    name: str
    spans: int
    busy_ms: float
    wall_ms: float


@dataclass(frozen=True, slots=True)
class TraceView:
    """One trace, whole. ``extent_ms`` is from first start to last end, which is not the e2e time.

    ``start_ns`` is the moment the rows' ``start_ms`` count from. ``segments`` of one request are in
    order of time and add to its end-to-end time.
    """

    trace_id: str
    start_ns: int
    extent_ms: float
    requests: tuple[RequestFact, ...]
    rows: tuple[SpanRow, ...]
    segments: tuple[PathSegment, ...]
    hops: tuple[HopTime, ...]
    names: tuple[NameTime, ...]
    orphans: int
    duplicates: int
    conflicts: int
    skew_corrected: bool
