"""All records of one trace, or of one event-log request, to request facts.

A request is a root span (no parent, an empty or an all-zero one) with everything beneath it. Its
end-to-end time is the root's own duration, never the extent of the trace. Spans may come in any
order: the result is the same. See docs/HOPS.md for the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from budget_model.domain.hops import HOPS
from budget_model.domain.intervals import union_length
from budget_model.domain.microseconds import parts_us, round_us
from budget_model.normalise.analysis import Analysis, analyse
from budget_model.normalise.dimensions import dimensions_of
from budget_model.normalise.duplicates import Deduped, dedupe, span_key
from budget_model.normalise.event_requests import assemble_events
from budget_model.normalise.generations import TokenTimes, first_answer_us, generations_of, token_times
from budget_model.normalise.keys import sealed, trace_key
from budget_model.normalise.rules import Rules, load_rules
from budget_model.normalise.settle import settle
from budget_model.normalise.tree import UNATTRIBUTED, Node, plant
from budget_model.records.facts import Flag, Outcome, RequestFact, TokenGap, dimensions_by
from budget_model.records.spans import Span

__all__ = ["Assembled", "Deduped", "assemble", "dedupe", "load_rules", "span_key", "trace_key"]

_HOP_COUNT = len(HOPS)
_NONE_RECORDED: list[int | None] = [None] * _HOP_COUNT


@dataclass(frozen=True, slots=True)
class Assembled:
    """The requests of one trace (at least one) and the token gaps of their streams."""

    facts: list[RequestFact]
    gaps: list[TokenGap]


def assemble(spans: Sequence[Span], rules: Rules, *, correct_skew: bool = False) -> Assembled:
    """Facts of ONE trace from all its spans, deduplicated, in any order; ``spans`` must not be empty.

    Event records (``record == "event"``) of one request give one fact and its token gaps. A trace
    with one root is one request named by the trace id; with several, each is a request named
    ``trace_id:root_span_id`` and flagged. Spans that no root leads to are flagged and counted on
    the first request and are in no time; a trace of nothing else is one incomplete request.
    """
    if spans[0].record == "event":
        return Assembled(*assemble_events(spans, rules))
    trace = analyse_trace(spans, rules, correct_skew=correct_skew)
    facts = facts_of(trace, rules)
    for node in trace.nodes:
        node.unlink()
    return Assembled(facts, [])


@dataclass(frozen=True, slots=True)
class AnalysedTrace:
    """One trace taken apart: an analysis for each request, and what no root leads to.

    Without any root there is one analysis, of the first span, that holds all nodes and no time.
    """

    nodes: list[Node]
    analyses: list[Analysis]
    orphans: list[Node]
    has_root: bool


def analyse_trace(spans: Sequence[Span], rules: Rules, *, correct_skew: bool = False) -> AnalysedTrace:
    """Plant the trees of one trace and analyse each; ``spans`` is one trace, deduplicated."""
    nodes, roots = plant(spans)
    if not roots:
        return AnalysedTrace(nodes, [_orphans_only(nodes, rules)], nodes, False)
    analyses = [analyse(root, rules, correct_skew=correct_skew) for root in roots]
    if len(roots) > 1:
        for found in analyses:
            found.flags |= Flag.SEVERAL_ROOTS
    lost = len(nodes) - sum([found.records for found in analyses])
    orphans: list[Node] = []
    if lost:
        reached = {id(node) for root in roots for node in root.below()}
        orphans = [node for node in nodes if id(node) not in reached]
        first = analyses[0]
        first.flags |= Flag.ORPHAN_SPAN
        first.records += lost
        first.errors += sum([node.span.status == "ERROR" for node in orphans])
    return AnalysedTrace(nodes, analyses, orphans, True)


def facts_of(trace: AnalysedTrace, rules: Rules) -> list[RequestFact]:
    """One fact for each analysed request, in order of start."""
    key = trace_key(trace.nodes[0].span.trace_id)
    several = len(trace.analyses) > 1
    return [_fact(found, rules, key, several, trace.has_root) for found in trace.analyses]


def request_id_of(root: Span, several_roots: bool) -> str:
    """The trace id, with the root's id when the trace holds several requests."""
    return f"{root.trace_id}:{root.span_id}" if several_roots else root.trace_id


def _fact(found: Analysis, rules: Rules, key: int, several: bool, has_root: bool) -> RequestFact:
    root = found.root
    span = root.span
    e2e_us = round_us(root.end - root.start) if root.usable and has_root else None
    path, wall = _hop_lists(found, timed=e2e_us is not None)
    times = _token_times(found)
    flags = found.flags
    if e2e_us is not None and times.ttft_us == e2e_us and (found.tokens.output or 2) > 1:
        flags |= Flag.TTFT_EQUALS_E2E
    known = dimensions_of(found.order, rules).get
    return sealed(
        RequestFact(
            request_id=request_id_of(span, several),
            trace_id=span.trace_id,
            trace_key=key,
            root_span_id=span.span_id if has_root else "",
            root_name=span.name if has_root else "",
            source_kind="spans",
            outcome=found.outcome.value,
            start_us=span.start_ns // 1000,
            **dimensions_by(known),
            prompt_tokens=found.tokens.prompt,
            output_tokens=found.tokens.output,
            attempts=found.attempts,
            span_count=found.records,
            error_span_count=found.errors,
            flags=int(flags),
            e2e_us=e2e_us,
            ttft_us=times.ttft_us,
            first_answer_us=times.first_answer_us,
            generation_us=times.generation_us,
            tpot_us=times.tpot_us,
            path_us=path,
            wall_us=wall,
            digest=0,
        )
    )


def _token_times(found: Analysis) -> TokenTimes:
    root = found.root
    if not found.calls and not found.loose:
        return TokenTimes()
    made = generations_of(found.calls, found.loose, found.tokens.output)
    answer = first_answer_us(found.order, root.start)
    return token_times(made, root.start, root.end if root.usable else None, answer)


def _hop_lists(found: Analysis, *, timed: bool) -> tuple[list[int | None], list[int | None]]:
    """Path and wall times in us by hop; None for hops without a span. Unattributed is always known."""
    wall = _NONE_RECORDED.copy()
    path = _NONE_RECORDED.copy()
    for hop, intervals in found.walls.items():
        if len(intervals) == 1:
            start, end = intervals[0]
            wall[hop] = round_us(end - start)
        else:
            wall[hop] = round_us(union_length(intervals))
    if not timed:
        return path, wall
    path_ns = [0] * _HOP_COUNT
    for start, end, hop, _ in found.segments:
        path_ns[hop] += end - start
    for hop, us in enumerate(parts_us(path_ns)):
        if path_ns[hop] or hop == UNATTRIBUTED or wall[hop] is not None:
            path[hop] = us
    return path, wall


def _orphans_only(nodes: list[Node], rules: Rules) -> Analysis:
    """A trace whose root is missing: one incomplete request without times."""
    for node in nodes:
        if node.parent is None:
            settle(node, rules)
    return Analysis(
        root=nodes[0],
        order=nodes,
        records=len(nodes),
        errors=sum([node.span.status == "ERROR" for node in nodes]),
        flags=int(Flag.ORPHAN_SPAN),
        outcome=Outcome.INCOMPLETE,
    )
