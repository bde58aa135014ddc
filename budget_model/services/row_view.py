"""A request that came as one row of a request log, shown like a trace: its hops in path order.

The log says how long each hop took, not when. Hops are laid end to end, which is what a partition
of the end-to-end time means, and every row says that it was laid out and not observed.
"""

from __future__ import annotations

from itertools import accumulate

from budget_model.domain.hops import HOPS
from budget_model.records.facts import RequestFact
from budget_model.records.trace_view import HopTime, PathSegment, SpanRow, TraceView
from budget_model.units import us_to_ms

RULE = "a column of the request log"
_NS_PER_US = 1_000


def row_view(fact: RequestFact) -> TraceView:
    """The view of a request-log row; without hop columns it has no rows."""
    recorded = [(str(hop), us) for hop, us in zip(HOPS, fact.path_us, strict=True) if us is not None]
    ends_us = list(accumulate(us for _, us in recorded))
    spans = [(hop, end - us, us) for (hop, us), end in zip(recorded, ends_us, strict=True)]
    segments = [
        PathSegment(fact.request_id, hop, hop, start / 1000, (start + us) / 1000) for hop, start, us in spans
    ]
    return TraceView(
        trace_id=fact.trace_id,
        start_ns=_start_ns(fact),
        extent_ms=us_to_ms(fact.e2e_us) or 0.0,
        requests=(fact,),
        rows=tuple(_row(fact, hop, start, us) for hop, start, us in spans),
        segments=tuple(segments),
        hops=tuple(_hop(fact, place) for place in range(len(HOPS))),
        names=(),
        orphans=0,
        duplicates=0,
        conflicts=0,
        skew_corrected=False,
    )


def _start_ns(fact: RequestFact) -> int:
    return (fact.start_us or 0) * _NS_PER_US


def _hop(fact: RequestFact, place: int) -> HopTime:
    path_ms, wall_ms = us_to_ms(fact.path_us[place]), us_to_ms(fact.wall_us[place])
    return HopTime(fact.request_id, str(HOPS[place]), path_ms, wall_ms, None, 0, 0)


def _row(fact: RequestFact, hop: str, start_us: int, us: int) -> SpanRow:
    start_ns = _start_ns(fact) + start_us * _NS_PER_US
    return SpanRow(
        request_id=fact.request_id,
        span_id=hop,
        parent_id="",
        name=hop,
        service="",
        host="",
        kind="",
        hop=hop,
        hop_before=None,
        first_token_ms=None,
        rule=RULE,
        depth=0,
        start_ms=start_us / 1000,
        duration_ms=us / 1000,
        self_ms=us / 1000,
        self_is_upper_bound=False,
        status="",
        status_message="",
        is_async=False,
        is_orphan=False,
        is_failed_attempt=False,
        is_virtual=True,
        set_aside="",
        starts_before_parent_ms=None,
        ends_after_parent_ms=None,
        raw_start_ns=start_ns,
        raw_end_ns=start_ns + us * _NS_PER_US,
        attributes={},
        resource={},
        events=(),
    )
