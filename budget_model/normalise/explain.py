"""One trace explained: the same analysis that makes the facts, span by span."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from budget_model.domain.hops import HOPS
from budget_model.domain.intervals import clip, union_length
from budget_model.normalise.analysis import Analysis
from budget_model.normalise.assemble import AnalysedTrace, analyse_trace, facts_of
from budget_model.normalise.duplicates import dedupe
from budget_model.normalise.event_view import explain_events
from budget_model.normalise.hop_times import RETRY
from budget_model.normalise.rules import UNMAPPED, Rules
from budget_model.normalise.settle import NETWORK
from budget_model.normalise.tree import UNATTRIBUTED, Node
from budget_model.records.spans import Span
from budget_model.records.trace_view import HopTime, NameTime, PathSegment, SpanRow, TraceView

_NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a row belongs: its request, the moment times count from, and whether it is an orphan."""

    request_id: str
    zero_ns: int
    is_orphan: bool


def explain(spans: Sequence[Span], rules: Rules, correct_skew: bool = False) -> TraceView:
    """The view of ONE trace from all its records, repeats included; ``spans`` must not be empty.

    Figures are those of ``assemble`` on the same spans. Events of one request give a view in which
    every stage between two milestones is a row.
    """
    once = dedupe(spans)
    if once.kept[0].record == "event":
        return explain_events(once, rules)
    trace = analyse_trace(once.kept, rules, correct_skew=correct_skew)
    facts = facts_of(trace, rules)
    zero = trace.analyses[0].root.span.start_ns
    rows: list[SpanRow] = []
    for found, fact in zip(trace.analyses, facts, strict=True):
        rows += _rows(found.root, _Place(fact.request_id, zero, not trace.has_root))
    rows += _orphan_rows(trace, _Place(facts[0].request_id, zero, True))
    pairs = list(zip(trace.analyses, facts, strict=True))
    return TraceView(
        trace_id=facts[0].trace_id,
        start_ns=zero,
        extent_ms=_extent_ms(trace.nodes),
        requests=tuple(facts),
        rows=tuple(rows),
        segments=tuple(part for found, fact in pairs for part in _segments(found, fact.request_id, zero)),
        hops=tuple(hop for found, fact in pairs for hop in _hops(found, fact.request_id)),
        names=tuple(name for found, fact in pairs for name in _names(found, fact.request_id)),
        orphans=len(trace.orphans),
        duplicates=once.duplicates,
        conflicts=once.conflicts,
        skew_corrected=any(found.corrected for found in trace.analyses),
    )


def _orphan_rows(trace: AnalysedTrace, place: _Place) -> list[SpanRow]:
    """Orphans with what stands beneath them; a circle has no top and its spans stand alone."""
    shown = {id(found.root) for found in trace.analyses}
    tops = [node for node in trace.orphans if node.parent is None and id(node) not in shown]
    rows = [row for top in tops for row in _rows(top, place)]
    drawn = {id(node) for top in tops for node in top.below()}
    drawn |= {id(node) for found in trace.analyses for node in found.root.below()}
    return rows + [_row(node, 0, place) for node in trace.orphans if id(node) not in drawn]


def _rows(top: Node, place: _Place) -> list[SpanRow]:
    rows: list[SpanRow] = []
    stack = [(top, 0)]
    while stack:
        node, depth = stack.pop()
        rows.append(_row(node, depth, place))
        children = sorted(node.children, key=lambda child: (child.start, child.span.span_id), reverse=True)
        stack += [(child, depth + 1) for child in children]
    return rows


def _row(node: Node, depth: int, place: _Place) -> SpanRow:
    span, parent = node.span, node.parent
    before = early = late = None
    if node.split is not None and node.split[1] != node.split[2]:
        before = HOPS[node.split[1]].value
    if parent is not None and node.usable and parent.usable:
        early = _ms(parent.start - node.start) if node.start < parent.start else None
        late = _ms(node.end - parent.end) if node.end > parent.end else None
    missing = "unfinished" if span.end_ns is None else "negative duration"
    return SpanRow(
        request_id=place.request_id,
        span_id=span.span_id,
        parent_id=span.parent_id,
        name=span.name,
        service=span.service,
        host=span.host,
        kind=span.kind,
        hop=HOPS[_self_hop(node)].value,
        hop_before=before,
        first_token_ms=None if node.split is None else _ms(node.split[0] - place.zero_ns),
        rule=_reason(node),
        depth=depth,
        start_ms=_ms(node.start - place.zero_ns),
        duration_ms=_ms(node.end - node.start) if node.usable else None,
        self_ms=_self_ms(node) if node.usable else None,
        self_is_upper_bound=any(not child.usable and not child.is_async for child in node.children),
        status=span.status,
        status_message=span.status_message,
        is_async=node.is_async,
        is_orphan=place.is_orphan,
        is_failed_attempt=node.superseded,
        is_virtual=node.virtual,
        set_aside="" if node.usable else missing,
        starts_before_parent_ms=early,
        ends_after_parent_ms=late,
        raw_start_ns=span.start_ns,
        raw_end_ns=span.end_ns,
        attributes=span.attributes,
        resource=span.resource,
        events=tuple((e.name, _ms(e.time_ns - place.zero_ns), e.attributes) for e in span.events),
    )


def _self_hop(node: Node) -> int:
    if node.superseded:
        return RETRY
    return node.self_hop if node.split is None else node.split[2]


def _reason(node: Node) -> str:
    """What decided the hop, in words."""
    if node.superseded:
        return "a failed attempt: a later span did the work again"
    if node.decision.rule and node.decision.hop != UNMAPPED:
        return node.decision.rule
    if node.split is not None:
        return node.decision.rule or "part of a model call, split at its first token"
    if node.self_hop == NETWORK and node.hop != NETWORK:
        return "the client's time less the server's"
    if node.part_of is not None and node.self_hop != node.inherited:
        return node.decision.rule or "part of a model call that nothing splits"
    return "as its parent" if node.hop != UNATTRIBUTED else "no rule names a hop"


def _self_ms(node: Node) -> float:
    """Duration less the union of the intervals of the children that were waited for, cut to the span."""
    children = clip([(child.start, child.end) for child in node.waited_for], node.start, node.end)
    return _ms(node.end - node.start - union_length(children))


def _segments(found: Analysis, request_id: str, zero: int) -> list[PathSegment]:
    return [
        PathSegment(request_id, node.span.span_id, HOPS[hop].value, _ms(start - zero), _ms(end - zero))
        for start, end, hop, node in sorted(found.segments, key=lambda part: part[:2])
    ]


def _hops(found: Analysis, request_id: str) -> list[HopTime]:
    path: dict[int, int] = defaultdict(int)
    for start, end, held_by, _ in found.segments:
        path[held_by] += end - start
    aside: dict[int, int] = defaultdict(int)
    for node in found.order:
        if not node.usable and not node.is_async and node.decision.hop != UNMAPPED:
            aside[node.decision.hop] += 1
    times = []
    for index, hop in enumerate(HOPS):
        spans = found.walls.get(index, [])
        known = bool(spans) or path[index] > 0 or (index == UNATTRIBUTED and bool(found.segments))
        times.append(
            HopTime(
                request_id=request_id,
                hop=hop.value,
                path_ms=_ms(path[index]) if known and found.segments else None,
                wall_ms=_ms(union_length(spans)) if spans else None,
                busy_ms=_ms(sum(end - start for start, end in spans)) if spans else None,
                spans=len(spans),
                set_aside=aside[index],
            )
        )
    return times


def _names(found: Analysis, request_id: str) -> list[NameTime]:
    by_name: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for node in found.order:
        if node.usable and not node.is_async and not node.virtual:
            by_name[node.span.name].append((node.start, node.end))
    return [
        NameTime(
            request_id,
            name,
            len(spans),
            _ms(sum(end - start for start, end in spans)),
            _ms(union_length(spans)),
        )
        for name, spans in sorted(by_name.items())
    ]


def _extent_ms(nodes: list[Node]) -> float:
    ends = [node.end for node in nodes]
    return _ms(max(ends) - min(node.start for node in nodes))


def _ms(ns: int) -> float:
    return ns / _NS_PER_MS
