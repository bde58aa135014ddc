"""Whatever a trace looks like, its hop times add to its end-to-end time and order does not matter."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from budget_model.domain.hops import HOPS, MEASURED_HOPS
from budget_model.domain.microseconds import round_us
from budget_model.normalise.assemble import assemble
from budget_model.normalise.explain import explain
from budget_model.records.facts import Outcome
from budget_model.records.spans import Span, SpanEvent
from tests.builders import START_NS
from tests.normalise.facts import RULES

NAMES = ("step", "retrieve", "prefill", "decode", "queue", "llm.call", "gateway", "postprocess", "chat m")


@st.composite
def a_span(draw: st.DrawFn, index: int) -> Span:
    """A span below any earlier one (or below none), of any length, overlapping what it likes."""
    parent = draw(st.integers(-2, index - 1)) if index else -2
    start = START_NS + draw(st.integers(-2_000, 20_000)) * draw(st.sampled_from((1, 333, 1000)))
    length = draw(st.one_of(st.none(), st.integers(-3_000, 9_000_000)))
    attributes = draw(
        st.dictionaries(
            st.sampled_from(
                (
                    *("gen_ai.latency.time_in_queue", "gen_ai.latency.time_in_model_prefill"),
                    *("gen_ai.latency.time_in_model_decode", "gen_ai.latency.time_to_first_token"),
                    *("gen_ai.usage.output_tokens", "attempt"),
                )
            ),
            st.sampled_from((0, 1, 2, 0.001, 0.004)),
            max_size=3,
        )
    )
    events = draw(st.lists(st.integers(-1000, 9_000_000), max_size=1))
    return Span(
        trace_id="t",
        span_id=f"{index:04x}1",
        parent_id="" if parent == -2 else "ffff" if parent == -1 else f"{parent:04x}1",
        name=draw(st.sampled_from(NAMES)),
        kind=draw(st.sampled_from(("INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"))),
        service=draw(st.sampled_from(("a", "b"))),
        host=draw(st.sampled_from(("", "h1", "h2"))),
        start_ns=start,
        end_ns=None if length is None else start + length,
        status=draw(st.sampled_from(("UNSET", "OK", "ERROR"))),
        status_message="",
        attributes=dict(attributes),
        resource={},
        events=[SpanEvent("first_token", start + offset, {}) for offset in events],
        is_async=draw(st.integers(0, 9)) == 0,
    )


@st.composite
def a_trace(draw: st.DrawFn) -> list[Span]:
    return [draw(a_span(index)) for index in range(draw(st.integers(1, 12)))]


@settings(max_examples=120, deadline=None)
@given(a_trace(), st.booleans(), st.randoms(use_true_random=False))
def test_hops_add_to_end_to_end_exactly_in_any_order(
    spans: list[Span], correct_skew: bool, shuffler: random.Random
) -> None:
    made = assemble(spans, RULES, correct_skew=correct_skew)
    shuffled = spans.copy()
    shuffler.shuffle(shuffled)
    assert assemble(shuffled, RULES, correct_skew=correct_skew) == made
    assert sum(fact.span_count for fact in made.facts) == len(spans)
    by_id = {span.span_id: span for span in spans}
    for fact in made.facts:
        known = [us for us in fact.path_us if us is not None]
        assert all(us >= 0 for us in known)
        assert all(us >= 0 for us in fact.wall_us if us is not None)
        if fact.e2e_us is None:
            assert not known
            assert fact.outcome == Outcome.INCOMPLETE
            continue
        root = by_id[fact.root_span_id]
        assert root.end_ns is not None
        assert sum(known) == fact.e2e_us == round_us(root.end_ns - root.start_ns)
        for hop in MEASURED_HOPS[:-1]:  # back-off is on the path but is no span
            path, wall = fact.path_us[HOPS.index(hop)], fact.wall_us[HOPS.index(hop)]
            assert (path is None) == (wall is None)
            assert path is None or wall is None or path <= wall + 1
        assert fact.ttft_us is None or 0 <= fact.ttft_us <= fact.e2e_us


@settings(max_examples=60, deadline=None)
@given(a_trace(), st.booleans())
def test_the_explanation_shows_every_span_and_the_figures_of_the_facts(
    spans: list[Span], correct_skew: bool
) -> None:
    view = explain(spans, RULES, correct_skew)
    assert list(view.requests) == assemble(spans, RULES, correct_skew=correct_skew).facts
    assert sorted(row.span_id for row in view.rows if not row.is_virtual) == sorted(
        span.span_id for span in spans
    )
    for row in view.rows:
        assert row.self_ms is None or 0 <= row.self_ms <= (row.duration_ms or 0)
    for fact in view.requests:
        parts = [part for part in view.segments if part.request_id == fact.request_id]
        for index, hop in enumerate(HOPS):
            held = sum(part.end_ms - part.start_ms for part in parts if part.hop == hop.value)
            assert abs(held * 1000 - (fact.path_us[index] or 0)) < 1.5
