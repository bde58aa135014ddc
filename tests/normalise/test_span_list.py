from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.imported import DATA, imported, warning_codes, written


def flat_span(**changes: Any) -> dict[str, Any]:
    return {
        "trace_id": "paris_chain",
        "span_id": "abc",
        "parent_span_id": None,
        "name": "chat",
        "kind": "SPAN_KIND_CLIENT",
        "start_time": "2026-02-25T10:00:00.000000001Z",
        "end_time": "2026-02-25T10:00:02.5Z",
    } | changes


def test_ids_that_are_words_stay_as_they_stand(tmp_path: Path) -> None:
    span = written(tmp_path / "t.json", json.dumps({"trace_id": "x", "spans": [flat_span()]})).spans[0]
    assert (span.trace_id, span.span_id, span.kind) == ("paris_chain", "abc", "CLIENT")
    assert (span.start_ns, span.end_ns) == (1772013600000000001, 1772013602500000000)


def test_the_trace_id_around_the_spans_serves_those_without_one(tmp_path: Path) -> None:
    spans = [flat_span(trace_id=None), flat_span()]
    read = written(tmp_path / "t.json", json.dumps({"trace_id": "outer", "spans": spans}), "span-list").spans
    assert [span.trace_id for span in read] == ["outer", "paris_chain"]


def test_a_published_list_says_that_its_times_had_no_zone() -> None:
    batch = imported(DATA / "span_list" / "simple_chain.json")
    assert warning_codes(batch) == {"zone-assumed"}
    ends = [span.end_ns for span in batch.spans if span.end_ns is not None]
    assert max(ends) - min(span.start_ns for span in batch.spans) == 8_000_000_000


def test_times_may_be_nanoseconds(tmp_path: Path) -> None:
    span = flat_span(start_time=None, end_time=None, start_time_unix_nano=1772013600000000001)
    batch = written(tmp_path / "t.json", json.dumps([span]))
    assert (batch.spans[0].start_ns, batch.spans[0].end_ns) == (1772013600000000001, None)


def test_bad_spans_are_refused_alone(tmp_path: Path) -> None:
    bad = [
        flat_span(span_id=""),
        flat_span(start_time=None),
        flat_span(attributes=[1]),
        flat_span(status={"code": 9}),
    ]
    batch = written(tmp_path / "t.json", json.dumps([flat_span(), *bad]))
    assert (batch.records, batch.accepted) == (5, 1)
