"""Awkward traces as they are reported from the field, whole."""

from __future__ import annotations

import pytest

from budget_model.normalise.assemble import dedupe
from budget_model.normalise.explain import explain
from budget_model.records.facts import Flag, RequestFact
from budget_model.records.spans import Span
from tests.builders import span
from tests.normalise.facts import RULES, flags, only_fact, path_ms, wall_ms


@pytest.fixture
def skewed() -> list[Span]:
    """Clocks that disagree, an end before its start, and a span without an end."""
    return [
        span("01", "", "request", 0, 1000, kind="SERVER", service="gateway", host="h1"),
        span("02", "01", "retrieve", -50, 150, kind="SERVER", service="retriever", host="h2"),
        span("03", "01", "prefill", 400, 397, service="model", host="h3"),
        span("04", "01", "decode", 420, None, service="model", host="h3"),
        span("05", "01", "postprocess", 940, 1060, service="model", host="h3"),
    ]


def test_end_to_end_is_the_root_whatever_children_claim(skewed: list[Span]) -> None:
    fact = only_fact(skewed)
    assert (fact.e2e_us, fact.outcome, fact.span_count) == (1_000_000, "ok", 5)
    assert flags(fact) & Flag.CLOCK_SKEW
    assert flags(fact) & Flag.NEGATIVE_DURATION
    assert flags(fact) & Flag.UNFINISHED_SPAN
    assert flags(fact) & Flag.CHILD_OUTLIVES_PARENT
    assert not flags(fact) & Flag.SKEW_CORRECTED


def test_spans_without_a_usable_duration_are_in_no_hop(skewed: list[Span]) -> None:
    fact = only_fact(skewed)
    assert wall_ms(fact) == {"retrieval": 200, "postprocess": 120}
    assert path_ms(fact) == {"retrieval": 150, "postprocess": 60, "unattributed": 790}


def test_set_aside_spans_stay_visible_and_self_time_is_marked_an_upper_bound(skewed: list[Span]) -> None:
    view = explain(skewed, RULES)
    rows = {row.name: row for row in view.rows}
    assert rows["request"].self_ms == 790
    assert rows["request"].self_is_upper_bound
    assert [rows[name].set_aside for name in ("prefill", "decode")] == ["negative duration", "unfinished"]
    assert [rows[name].duration_ms for name in ("prefill", "decode")] == [None, None]
    assert (rows["retrieve"].start_ms, rows["retrieve"].starts_before_parent_ms) == (-50, 50)
    assert rows["postprocess"].ends_after_parent_ms == 60
    assert {hop.hop: hop.set_aside for hop in view.hops if hop.set_aside} == {"prefill": 1, "decode": 1}


def test_correction_moves_start_and_end_together_and_keeps_the_raw_times(skewed: list[Span]) -> None:
    fact = only_fact(skewed, correct_skew=True)
    assert flags(fact) & Flag.SKEW_CORRECTED
    assert fact.e2e_us == 1_000_000
    assert wall_ms(fact) == {"retrieval": 200, "postprocess": 120}
    rows = {row.name: row for row in explain(skewed, RULES, correct_skew=True).rows}
    assert (rows["retrieve"].start_ms, rows["retrieve"].duration_ms) == (400, 200)
    assert rows["retrieve"].raw_start_ns == skewed[1].start_ns


def test_a_shift_passes_on_to_the_same_host() -> None:
    spans = [
        span("1", "", "request", 0, 1000, host="h1"),
        span("2", "1", "call", -50, 350, host="h2"),
        span("3", "2", "inner", 0, 100, host="h2"),
    ]
    rows = {row.name: row.start_ms for row in explain(spans, RULES, correct_skew=True).rows}
    assert rows == {"request": 0, "call": 300, "inner": 350}


@pytest.fixture
def repeated() -> list[Span]:
    """A span delivered twice and a third version that contradicts it."""
    root = span("11", "", "request", 0, 800, kind="SERVER", attributes={"tenant.id": "north"})
    call = span(
        "12", "11", "llm.call", 100, 700, kind="CLIENT", attributes={"gen_ai.usage.output_tokens": 40}
    )
    guard = span("13", "11", "guardrail", 710, 760)
    other = span(
        *("12", "11", "llm.call", 100, 130),
        kind="CLIENT",
        attributes={"gen_ai.usage.output_tokens": 0},
        status="ERROR",
        message="upstream closed",
    )
    return [root, call, call, guard, other]


def test_a_repeated_span_is_counted_once_and_a_contradicting_one_is_named(repeated: list[Span]) -> None:
    once = dedupe(repeated)
    assert (len(once.kept), once.duplicates, once.conflicts) == (3, 1, 1)
    assert "12" in once.example
    assert once.conflicting_traces == {"c0ffee"}


def test_the_kept_version_alone_makes_the_figures(repeated: list[Span]) -> None:
    fact = only_fact(repeated)
    assert (fact.e2e_us, fact.output_tokens, fact.span_count, fact.attempts) == (800_000, 40, 3, 1)
    assert path_ms(fact) == {"decode": 600, "postprocess": 50, "unattributed": 150}
    assert flags(fact) == Flag.LLM_CALL_NOT_SPLIT


def test_any_order_of_delivery_keeps_the_same_version(repeated: list[Span]) -> None:
    forward, backward = dedupe(repeated), dedupe(repeated[::-1])
    kept_forward, kept_backward = (
        sorted(found.kept, key=lambda kept: kept.span_id) for found in (forward, backward)
    )
    assert kept_forward == kept_backward
    assert (forward.duplicates, forward.conflicts) == (backward.duplicates, backward.conflicts)


def test_a_call_with_its_decode_measured_spends_the_rest_before_it_on_prefill() -> None:
    fact = only_fact(
        [
            span("a1", "", "request", 0, 900, kind="SERVER", service="gateway"),
            span("a2", "a1", "retrieve", 50, 250, kind="CLIENT", service="retriever", status="ERROR"),
            span("a3", "a1", "llm.call", 260, 860, kind="CLIENT", service="model"),
            span("a4", "a3", "decode", 400, 860, kind="UNSPECIFIED", service="unknown_service"),
        ]
    )
    assert (fact.span_count, fact.error_span_count, fact.outcome) == (4, 1, "ok")
    assert path_ms(fact) == {"retrieval": 200, "prefill": 140, "decode": 460, "unattributed": 100}
    assert flags(fact) == Flag.ERROR_BELOW_OK_ROOT


@pytest.fixture
def parallel() -> list[Span]:
    """Five children at once, one with a child of its own, and work that follows on."""
    searches = [span(f"d1{index}", "d0", "tool.search", 2000, 8000) for index in range(5)]
    return [
        span("d0", "", "request", 0, 10_000, attributes={"tenant": "north"}),
        *searches,
        span("d2", "d10", "rank", 3000, 4000),
        span("d3", "d0", "audit.write", 9500, 12_000, is_async=True),
    ]


def test_parallel_children_are_walled_and_never_exceed_the_request(parallel: list[Span]) -> None:
    fact = only_fact(parallel)
    assert fact.e2e_us == 10_000_000
    assert wall_ms(fact) == {"retrieval": 6000}
    assert path_ms(fact) == {"retrieval": 6000, "unattributed": 4000}
    assert flags(fact) == Flag.ASYNC_WORK


def test_busy_and_wall_are_two_named_times(parallel: list[Span]) -> None:
    view = explain(parallel, RULES)
    search = next(name for name in view.names if name.name == "tool.search")
    assert (search.spans, search.busy_ms, search.wall_ms) == (5, 30_000, 6000)
    assert view.extent_ms == 12_000
    assert sum(part.end_ms - part.start_ms for part in view.segments) == 10_000


def test_self_time_is_what_the_union_of_children_leaves(parallel: list[Span]) -> None:
    rows = {row.span_id: row for row in explain(parallel, RULES).rows}
    assert rows["d0"].self_ms == 4000
    assert sorted(rows[f"d1{index}"].self_ms or 0 for index in range(5)) == [5000, 6000, 6000, 6000, 6000]
    assert rows["d3"].is_async
    assert (rows["d3"].depth, rows["d3"].duration_ms) == (1, 2500)


def test_the_partition_of_overlapping_retrievals() -> None:
    fact: RequestFact = only_fact(
        [
            span("1", "", "request", 0, 1000),
            span("2", "1", "retrieve", 100, 400),
            span("3", "1", "retrieve", 150, 550),
            span("4", "1", "prefill", 550, 800),
            span("5", "1", "decode", 800, 980),
        ]
    )
    assert path_ms(fact) == {"retrieval": 450, "prefill": 250, "decode": 180, "unattributed": 120}
    assert wall_ms(fact) == {"retrieval": 450, "prefill": 250, "decode": 180}
    assert (fact.ttft_us, fact.generation_us) == (800_000, 180_000)
