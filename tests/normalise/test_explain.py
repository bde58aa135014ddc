from __future__ import annotations

from budget_model.normalise.explain import explain
from tests.builders import span
from tests.normalise.facts import RULES


def reasons(*spans: tuple[str, str, str, float, float, dict[str, object]]) -> dict[str, tuple[str, str]]:
    made = [
        span(sid, parent, name, start, end, **given)  # type: ignore[arg-type]
        for sid, parent, name, start, end, given in spans
    ]
    return {row.span_id: (row.hop, row.rule) for row in explain(made, RULES).rows}


def test_every_row_says_what_decided_its_hop() -> None:
    found = reasons(
        ("1", "", "request", 0, 100, {}),
        ("2", "1", "retrieve", 0, 20, {}),
        ("3", "2", "step", 0, 10, {}),
        ("4", "1", "POST", 20, 40, {"kind": "CLIENT"}),
        ("5", "4", "POST", 25, 35, {"kind": "SERVER", "service": "other"}),
        ("6", "1", "chat m", 40, 60, {"status": "ERROR"}),
        ("7", "1", "chat m", 60, 90, {}),
        ("8", "7", "POST", 62, 88, {}),
    )
    assert found == {
        "1": ("unattributed", "no rule names a hop"),
        "2": ("retrieval", "usual names: known span name"),
        "3": ("retrieval", "as its parent"),
        "4": ("network", "the client's time less the server's"),
        "5": ("unattributed", "no rule names a hop"),
        "6": ("retry", "a failed attempt: a later span did the work again"),
        "7": ("decode", "GenAI conventions: name 'chat *'"),
        "8": ("decode", "part of a model call that nothing splits"),
    }


def test_a_call_split_at_its_first_token_shows_both_hops() -> None:
    (row,) = explain([span("1", "", "chat m", 0, 100, attributes={"ttft_ms": 30})], RULES).rows
    assert (row.hop_before, row.first_token_ms, row.hop) == ("prefill", 30, "decode")


def test_orphans_and_circles_are_shown_with_what_is_beneath_them() -> None:
    view = explain(
        [
            span("1", "", "request", 0, 100),
            span("2", "gone", "lost", 0, 10),
            span("3", "2", "below", 1, 2),
            span("4", "5", "round", 0, 1),
            span("5", "4", "about", 0, 1),
        ],
        RULES,
    )
    assert view.orphans == 4
    assert [(row.span_id, row.depth, row.is_orphan) for row in view.rows] == [
        ("1", 0, False),
        ("2", 0, True),
        ("3", 1, True),
        ("4", 0, True),
        ("5", 0, True),
    ]


def test_repeats_are_counted_on_the_view() -> None:
    one = span("1", "", "request", 0, 100)
    view = explain([one, one, span("1", "", "request", 0, 90)], RULES)
    assert (len(view.rows), view.duplicates, view.conflicts) == (1, 1, 1)


def test_each_request_of_a_trace_has_its_own_segments_and_hops() -> None:
    view = explain([span("1", "", "a", 0, 10), span("2", "", "b", 20, 50)], RULES)
    totals = {
        fact.request_id: sum(s.end_ms - s.start_ms for s in view.segments if s.request_id == fact.request_id)
        for fact in view.requests
    }
    assert totals == {"c0ffee:1": 10, "c0ffee:2": 30}
