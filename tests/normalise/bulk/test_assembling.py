"""Measuring many traces together gives what measuring each alone gives."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from budget_model.domain.intervals import difference, union_length
from budget_model.domain.microseconds import parts_us as one_by_one
from budget_model.domain.partition import SELF, backward_walk
from budget_model.normalise.assemble import assemble, dedupe, load_rules
from budget_model.normalise.bulk.assembling import BulkAssembler
from budget_model.normalise.bulk.columns import Spell, covered, gaps, parts_us, walk
from budget_model.records.facts import RequestFact
from budget_model.records.spans import Span
from tests.builders import START_NS, span
from tests.normalise.facts import RULES
from tests.normalise.test_assemble_property import a_trace

NAMES = (
    *("step", "retrieve", "prefill", "decode", "queue", "llm.call", "gateway", "postprocess", "chat m"),
    *("POST /chat", "llm_request"),
)
KINDS = ("INTERNAL", "INTERNAL", "SERVER", "SERVER", "CLIENT", "CLIENT", "PRODUCER")
ATTRIBUTES: dict[str, tuple[Any, ...]] = {
    "gen_ai.latency.time_to_first_token": (0, 0.000_002, 0.000_005, "0.000003", 3),
    "ttft_ms": (0, 0.001, 0.0045, 9000),
    "gen_ai.usage.output_tokens": (0, 1, 2, 40, "17", "", None, 2.0),
    "gen_ai.usage.input_tokens": (0, 5, 900, "12"),
    "gen_ai.request.model": ("a", "b", " c ", 7),
    "tenant.id": ("t1", "t2", ""),
    "tailbudget.tenant": ("given",),
    "db.vector.query.top_k": (3,),
    "plain": ("x", "y"),
}
UNUSUAL: dict[str, tuple[Any, ...]] = {
    "gen_ai.latency.time_to_first_token": ("soon", True, -1),
    "gen_ai.latency.time_in_queue": (0.001,),
    "duration_ms": (1, 100),
    "error.type": ("timeout", "cancelled"),
}


rarely = st.integers(0, 60).map(lambda number: number == 37)


@st.composite
def attributes(draw: st.DrawFn, names: tuple[str, ...]) -> dict[str, Any]:
    found = {name: draw(st.sampled_from(ATTRIBUTES[name])) for name in names}
    if draw(rarely):
        name = draw(st.sampled_from(sorted(UNUSUAL)))
        found[name] = draw(st.sampled_from(UNUSUAL[name]))
    return found


@st.composite
def alike(draw: st.DrawFn) -> list[list[Span]]:
    """Several traces whose spans hang together in one way; times, ids and values differ."""
    size = draw(st.integers(1, 8))
    some_names = st.lists(st.sampled_from(sorted(ATTRIBUTES)), max_size=3, unique=True).map(tuple)
    spans: list[dict[str, Any]] = [
        {
            "parent": draw(st.integers(0, index - 1)) if index else None,
            "name": draw(st.sampled_from(NAMES)),
            "kind": draw(st.sampled_from(KINDS)),
            "service": draw(st.sampled_from(("a", "a", "b"))),
            "host": draw(st.sampled_from(("h1", "h1", "h2", ""))),
            "names": draw(some_names),
        }
        for index in range(size)
    ]
    outer = draw(some_names)
    whole = draw(st.booleans())
    traces = []
    for number in range(draw(st.integers(1, 4))):
        resource = draw(attributes(outer))
        trace: list[Span] = []
        for index, about in enumerate(spans):
            start, length = draw(st.integers(0, 9_000)), draw(st.integers(0 if draw(rarely) else 1, 9_000))
            if whole and index:
                above = trace[about["parent"]]
                span_of_parent = (above.end_ns or 0) - above.start_ns
                start = above.start_ns - START_NS + start * span_of_parent // 9_001
                length = max(1, min(length, (above.end_ns or 0) - START_NS - start))
            trace.append(
                span(
                    f"{index:04x}{draw(st.integers(0, 3))}",
                    trace[about["parent"]].span_id if index else "",
                    about["name"],
                    0,
                    None,
                    trace_id=f"{number + 1:032x}",
                    kind=about["kind"],
                    service=about["service"],
                    host=about["host"],
                    status="ERROR" if draw(rarely) else "OK",
                    message="cancelled" if draw(rarely) else "",
                    attributes=draw(attributes(about["names"])),
                    resource=resource,
                    is_async=draw(rarely),
                )
            )
            trace[-1].start_ns = START_NS + start
            trace[-1].end_ns = None if draw(rarely) else START_NS + start + length
        traces.append(draw(st.permutations(trace)))
    return traces


def _all_equal(traces: list[list[Span]], found: list[RequestFact | None]) -> int:
    for trace, fact in zip(traces, found, strict=True):
        if fact is not None:
            assert assemble(trace, RULES).facts == [fact]
    return sum(fact is not None for fact in found)


@settings(max_examples=100, deadline=None)
@given(st.lists(alike(), min_size=1, max_size=2))
def test_facts_made_together_equal_facts_made_alone(groups: list[list[list[Span]]]) -> None:
    traces = [trace for group in groups for trace in group]
    bulk = BulkAssembler(RULES, fewest_alike=1)
    _all_equal(traces, bulk.facts(traces))
    _all_equal(traces[::-1], bulk.facts(traces[::-1]))  # now with plans made before


@settings(max_examples=100, deadline=None)
@given(a_trace())
def test_a_trace_of_any_kind_is_measured_equally_or_left_to_the_general_way(spans: list[Span]) -> None:
    _all_equal([spans], BulkAssembler(RULES, fewest_alike=1).facts([spans]))


def _service(number: int, ms: float) -> list[Span]:
    trace_id, llm = f"{number:032x}", {"gen_ai.usage.output_tokens": number, "gen_ai.request.model": "m"}
    return [
        span("0a", "", "POST /chat", 0, ms, trace_id=trace_id, kind="CLIENT"),
        span("0b", "0a", "gateway", 1, ms - 1, trace_id=trace_id, kind="SERVER", service="gw"),
        span("0c", "0b", "retrieve", 2, 5, trace_id=trace_id),
        span("0d", "0b", "rerank", 3, 9, trace_id=trace_id),
        span("0e", "0b", "llm_request", 10, ms - 2, trace_id=trace_id, attributes=llm),
        span("0f", "0e", "prefill", 11, 20, trace_id=trace_id),
        span("10", "0e", "decode", 20, ms - 3, trace_id=trace_id),
    ]


def test_usual_traces_are_made_together_with_overlaps_transit_and_tokens() -> None:
    traces = [_service(number, 50 + number) for number in range(20)]
    assert _all_equal(traces, BulkAssembler(RULES).facts(traces)) == 20


def test_a_shape_that_is_rare_is_left_to_the_general_way() -> None:
    assert BulkAssembler(RULES).facts([_service(1, 60)]) == [None]


def test_what_is_not_usual_is_left_to_the_general_way() -> None:
    failed, unfinished, orphan, repeated, odd = (_service(number, 60) for number in range(5))
    failed[2].status = "ERROR"
    unfinished[3].end_ns = None
    orphan[4].parent_id = "ffff"
    repeated.append(repeated[1])
    odd[4].attributes = {"gen_ai.latency.time_in_queue": 0.001}
    found = BulkAssembler(RULES, fewest_alike=1).facts([failed, unfinished, orphan, repeated, odd])
    assert found == [None] * 5
    assert len(dedupe(repeated).kept) == 7


def test_own_rules_and_names_decide_together_as_they_do_alone() -> None:
    rules = load_rules('[[hop]]\nname = "rerank"\nhop = "postprocess"\n')
    (fact,) = BulkAssembler(rules, fewest_alike=1).facts([_service(3, 60)])
    assert fact is not None
    assert [fact] == assemble(_service(3, 60), rules).facts
    assert [fact] != assemble(_service(3, 60), RULES).facts


a_time = st.integers(0, 40)
some_children = st.lists(st.tuples(a_time, st.integers(1, 20)), min_size=1, max_size=5)


def _spells(pairs: list[tuple[int, int]]) -> list[Spell]:
    return [(np.array([start]), np.array([start + length])) for start, length in pairs]


@given(a_time, a_time, some_children)
def test_the_walk_over_columns_is_the_walk_over_one_trace(
    low: int, length: int, children: list[tuple[int, int]]
) -> None:
    children = sorted(children)
    held, own = walk(np.array([low]), np.array([low + length]), _spells(children))
    starts, ends = [start for start, _ in children], [start + long for start, long in children]
    wanted = backward_walk(low, low + length, starts, ends)
    found = [(int(a[0]), int(b[0]), index) for index, (a, b) in enumerate(held) if b[0] > a[0]]
    assert sorted(found) == sorted(part for part in wanted if part[2] != SELF)
    self_time = sum(end - start for start, end, by in wanted if by == SELF)
    assert sum(int(b[0] - a[0]) for a, b in own) == self_time


@given(some_children, a_time)
def test_unions_and_gaps_of_columns_are_those_of_intervals(children: list[tuple[int, int]], end: int) -> None:
    pairs = [(start, start + length) for start, length in sorted(children)]
    assert covered(_spells(sorted(children)))[0] == union_length(pairs)
    left = gaps((np.array([5]), np.array([5 + end])), _spells(sorted(children)))
    found = [(int(a[0]), int(b[0])) for a, b in left if b[0] > a[0]]
    assert found == difference((5, 5 + end), pairs)


@given(st.lists(st.integers(0, 5_000), min_size=1, max_size=10))
def test_microseconds_of_rows_are_those_of_one_row(parts_ns: list[int]) -> None:
    assert parts_us(np.array([parts_ns, parts_ns])).tolist() == [one_by_one(parts_ns)] * 2
