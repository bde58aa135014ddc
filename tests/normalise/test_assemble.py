from __future__ import annotations

import pytest

from budget_model.normalise.assemble import assemble, dedupe, trace_key
from budget_model.records.facts import Flag, Outcome
from tests.builders import span
from tests.normalise.facts import RULES, flags, only_fact, path_ms


@pytest.mark.parametrize("parent", ["", "0000000000000000"])
def test_no_parent_and_a_parent_of_zeros_are_roots(parent: str) -> None:
    fact = only_fact([span("1", parent, "request", 0, 10)])
    assert (fact.request_id, fact.root_span_id, fact.e2e_us) == ("c0ffee", "1", 10_000)
    assert flags(fact) == Flag(0)


def test_several_roots_are_several_requests() -> None:
    found = assemble(
        [span("1", "", "a", 0, 10), span("2", "", "b", 20, 50), span("3", "2", "decode", 20, 30)], RULES
    ).facts
    assert [(fact.request_id, fact.e2e_us, fact.span_count) for fact in found] == [
        ("c0ffee:1", 10_000, 1),
        ("c0ffee:2", 30_000, 2),
    ]
    assert all(flags(fact) == Flag.SEVERAL_ROOTS for fact in found)
    assert {fact.trace_key for fact in found} == {trace_key("c0ffee")}


def test_orphans_are_counted_and_in_no_time() -> None:
    fact = only_fact([span("1", "", "request", 0, 10), span("2", "gone", "decode", 2, 8)])
    assert (fact.span_count, flags(fact), path_ms(fact)) == (2, Flag.ORPHAN_SPAN, {"unattributed": 10})


def test_a_trace_without_a_root_is_one_incomplete_request() -> None:
    fact = only_fact([span("2", "gone", "step", 0, 10), span("3", "2", "decode", 2, 8, status="ERROR")])
    assert (fact.outcome, fact.e2e_us, fact.span_count) == ("incomplete", None, 2)
    assert (fact.error_span_count, fact.request_id, fact.root_span_id) == (1, "c0ffee", "")
    assert (flags(fact), path_ms(fact)) == (Flag.ORPHAN_SPAN, {})


def test_spans_in_a_circle_are_orphans() -> None:
    fact = only_fact([span("1", "", "request", 0, 10), span("2", "3", "a", 0, 1), span("3", "2", "b", 0, 1)])
    assert (fact.span_count, flags(fact)) == (3, Flag.ORPHAN_SPAN)
    alone = only_fact([span("2", "3", "a", 0, 1), span("3", "2", "b", 0, 1), span("4", "4", "c", 0, 1)])
    assert (alone.span_count, alone.outcome) == (3, "incomplete")


def test_an_unfinished_root_has_no_end_to_end_time() -> None:
    fact = only_fact([span("1", "", "request", 0, None), span("2", "1", "decode", 2, 8)])
    assert (fact.outcome, fact.e2e_us, path_ms(fact)) == (Outcome.INCOMPLETE, None, {})
    assert flags(fact) == Flag.UNFINISHED_SPAN


def test_a_root_that_ends_before_it_starts_has_no_end_to_end_time() -> None:
    fact = only_fact([span("1", "", "request", 10, 9)])
    assert (fact.outcome, fact.e2e_us, flags(fact)) == (Outcome.INCOMPLETE, None, Flag.NEGATIVE_DURATION)


def test_a_failed_root_fails_the_request_and_keeps_its_path() -> None:
    fact = only_fact([span("1", "", "request", 0, 10, status="ERROR"), span("2", "1", "decode", 2, 8)])
    assert (fact.outcome, path_ms(fact)) == (Outcome.FAILED, {"decode": 6, "unattributed": 4})


def test_a_finished_request_without_output_is_empty() -> None:
    fact = only_fact([span("1", "", "request", 0, 10, attributes={"output_tokens": 0})])
    assert fact.outcome == Outcome.EMPTY


@pytest.mark.parametrize(
    ("message", "attributes"),
    [
        ("context canceled", {}),
        ("", {"error.type": "asyncio.CancelledError"}),
        ("", {"cancelled": True}),
        ("", {"rpc.grpc.status_code": 1}),
    ],
)
def test_a_request_its_caller_gave_up_is_cancelled(message: str, attributes: dict[str, object]) -> None:
    root = span("1", "", "request", 0, 10, status="ERROR", message=message, attributes=attributes)
    assert only_fact([root]).outcome == Outcome.CANCELLED


def test_consumers_below_producers_are_not_awaited() -> None:
    fact = only_fact(
        [
            span("1", "", "request", 0, 10),
            span("2", "1", "send", 1, 3, kind="PRODUCER"),
            span("3", "2", "on-message", 2, 9, kind="CONSUMER"),
            span("4", "3", "decode", 2, 9),
        ]
    )
    assert (flags(fact), path_ms(fact)) == (Flag.ASYNC_WORK, {"unattributed": 10})


def test_a_server_record_that_shares_its_callers_id_stands_below_it() -> None:
    spans = [
        span("1", "", "get", 0, 100, kind="CLIENT", service="app"),
        span("1", "", "get", 10, 80, kind="SERVER", service="edge", host="h2"),
        span("2", "1", "retrieve", 20, 60, service="edge", host="h2"),
    ]
    assert len(dedupe(spans).kept) == 3
    fact = only_fact(spans)
    assert (fact.e2e_us, fact.span_count) == (100_000, 3)
    assert path_ms(fact) == {"network": 30, "retrieval": 40, "unattributed": 30}


def test_children_of_a_span_that_is_set_aside_still_hold_their_time() -> None:
    fact = only_fact(
        [
            span("1", "", "request", 0, 100),
            span("2", "1", "retrieve", 10, None),
            span("3", "2", "decode", 20, 60),
            span("4", "2", "step", 60, 70),
        ]
    )
    assert path_ms(fact) == {"decode": 40, "unattributed": 60}


def test_a_long_chain_of_spans_needs_no_deep_stack() -> None:
    deep = 20_000
    spans = [span(f"{i:06d}", f"{i - 1:06d}" if i else "", "step", 0, 10) for i in range(deep)]
    fact = only_fact(spans)
    assert (fact.span_count, fact.e2e_us) == (deep, 10_000)


def test_the_same_facts_have_the_same_digest_and_others_another() -> None:
    one, same, other = (only_fact([span("1", "", "request", 0, end)]) for end in (10, 10, 11))
    assert one.digest == same.digest != other.digest
    assert -(2**63) <= one.digest < 2**63


def test_of_children_moved_up_and_others_the_one_that_started_earliest_holds_the_time() -> None:
    fact = only_fact(
        [
            span("1", "", "request", 0, 100),
            span("2", "1", "wrapper", 10, None),
            span("3", "2", "decode", 50, 90),
            span("4", "1", "retrieve", 20, 90),
        ]
    )
    assert path_ms(fact)["retrieval"] == 70


def test_many_failed_siblings_take_no_longer_than_their_number() -> None:
    many = 5_000
    spans = [span(f"{i}", "root", f"step {i}", i, i + 1, status="ERROR") for i in range(many)]
    fact = only_fact([span("root", "", "request", 0, many), *spans])
    assert (fact.error_span_count, fact.attempts) == (many, 1)
