from __future__ import annotations

from pathlib import Path

import pytest

from budget_model.errors import NoDataError
from budget_model.queries.filters import EVERYTHING
from budget_model.records.spans import Span
from tests.queries.homes import START_US, Store, request


def span(span_id: str, parent_id: str, name: str, start_ms: int, end_ms: int, trace_id: str) -> Span:
    zero_ns = START_US * 1000
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_id=parent_id,
        name=name,
        kind="SERVER",
        service="api",
        host="h",
        start_ns=zero_ns + start_ms * 1_000_000,
        end_ns=zero_ns + end_ms * 1_000_000,
        status="UNSET",
        status_message="",
        attributes={"text": "<b>&"},
        resource={},
        events=[],
    )


def test_a_request_log_row_is_shown_as_its_hops_end_to_end(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([request("a", hops={"queue": 10, "decode": 30}, start_us=START_US)])
    view = store.figures().trace("a")
    assert [(row.hop, row.start_ms, row.duration_ms) for row in view.rows] == [
        ("queue", 0, 10),
        ("decode", 10, 30),
    ]
    assert all(row.is_virtual for row in view.rows)
    assert view.segments[-1].end_ms == view.extent_ms == 40
    times = {hop.hop: (hop.path_ms, hop.busy_ms) for hop in view.hops}
    assert (times["decode"], times["retrieval"]) == ((30, None), (None, None))


def test_spans_of_one_trace_are_found_among_those_of_others(tmp_path: Path) -> None:
    store = Store(tmp_path)
    rows = [request(name, 100, source_kind="spans") for name in ("a", "b")]
    spans = [
        span(f"{i}{name}", f"0{name}" if i else "", "work", i * 10, 100 - i * 10, f"trace-{name}")
        for name in ("a", "b")
        for i in range(3)
    ]
    store.add(rows, spans=spans)
    view = store.figures().trace("b")
    assert view.trace_id == "trace-b"
    assert [row.span_id for row in view.rows] == ["0b", "1b", "2b"]
    assert view.rows[0].attributes == {"text": "<b>&"}


@pytest.mark.parametrize(("request_id", "words"), [("nobody", "no request 'nobody'"), ("a", "not stored")])
def test_a_request_that_cannot_be_opened_is_said_so(tmp_path: Path, request_id: str, words: str) -> None:
    store = Store(tmp_path)
    store.add([request("a", 1, source_kind="spans")])
    with pytest.raises(NoDataError, match=words):
        store.figures().trace(request_id)


def test_new_data_is_announced_and_taken_in_when_asked(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([request("a", 1)])
    figures = store.figures()
    assert figures.counts(EVERYTHING).total == 1
    store.add([request("b", 1)])
    assert (figures.generation(), figures.newest_generation()) == (1, 2)
    assert figures.counts(EVERYTHING).total == 1
    assert figures.refresh() == figures.generation() == 2
    assert figures.counts(EVERYTHING).total == 2
