from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from budget_model.errors import SourceError
from tests.imported import DATA, imported, warning_codes, written


def sdk_span(**changes: Any) -> dict[str, Any]:
    return {
        "name": "llm",
        "context": {"trace_id": "0x" + "a" * 32, "span_id": "0x" + "b" * 16, "trace_state": "[]"},
        "kind": "SpanKind.CLIENT",
        "parent_id": None,
        "start_time": "2025-09-09T18:52:36.424307Z",
        "end_time": "2025-09-09T18:52:37.424307123Z",
        "status": {"status_code": "ERROR", "description": "boom"},
        "attributes": {"gen_ai.usage.input_tokens": 7},
        "events": [],
        "links": [],
        "resource": {"attributes": {"service.name": "chat"}, "schema_url": ""},
    } | changes


def test_ids_lose_their_prefix_and_times_are_exact_to_the_nanosecond(tmp_path: Path) -> None:
    span = written(tmp_path / "t.json", json.dumps([sdk_span()])).spans[0]
    assert (span.trace_id, span.span_id, span.parent_id) == ("a" * 32, "b" * 16, "")
    assert (span.start_ns, span.end_ns) == (1757443956424307000, 1757443957424307123)
    assert (span.kind, span.status, span.status_message, span.service) == ("CLIENT", "ERROR", "boom", "chat")


def test_the_same_trace_as_jaeger_json_has_the_same_tree() -> None:
    sdk = imported(DATA / "otel_sdk" / "monocle_trace1.json").spans
    jaeger = imported(DATA / "jaeger" / "monocle_trace1.jaeger.json").spans
    tree = {(span.trace_id, span.span_id, span.parent_id, span.name, span.start_ns) for span in sdk}
    assert {
        (span.trace_id, span.span_id, span.parent_id, span.name, span.start_ns) for span in jaeger
    } == tree


def test_a_list_lines_and_documents_one_after_another_are_the_same_spans(tmp_path: Path) -> None:
    spans = [sdk_span(name=name) for name in "abc"]
    printed = {
        "list": json.dumps(spans),
        "lines": "\n".join(map(json.dumps, spans)) + "\n",
        "console": "\n".join(json.dumps(span, indent=4) for span in spans) + "\n",
    }
    read = [written(tmp_path / name, text).spans for name, text in printed.items()]
    assert [span.name for span in read[0]] == ["a", "b", "c"]
    assert read[0] == read[1] == read[2]


def test_console_output_cut_in_the_middle_is_refused_whole(tmp_path: Path) -> None:
    text = "\n".join(json.dumps(sdk_span(), indent=4) for _ in range(2))
    with pytest.raises(SourceError, match="document 2 is not whole"):
        written(tmp_path / "t.json", text[:-20])


def test_an_unfinished_span_has_no_end(tmp_path: Path) -> None:
    assert written(tmp_path / "t.json", json.dumps([sdk_span(end_time=None)])).spans[0].end_ns is None


def test_a_time_without_zone_is_taken_as_utc_and_said_so(tmp_path: Path) -> None:
    batch = written(tmp_path / "t.json", json.dumps([sdk_span(start_time="2025-09-09T18:52:36.424307")]))
    assert batch.spans[0].start_ns == 1757443956424307000
    assert warning_codes(batch) == {"zone-assumed"}


def test_a_bad_span_is_refused_alone(tmp_path: Path) -> None:
    bad = [
        sdk_span(start_time="yesterday"),
        sdk_span(kind="SpanKind.ODD"),
        sdk_span(context={"trace_id": "0x0"}),
    ]
    batch = written(tmp_path / "t.json", json.dumps([sdk_span(), *bad, 5]))
    assert (batch.records, batch.accepted) == (5, 1)
    assert batch.rejects[0].reason.startswith("start_time: a time must be ISO 8601")


def test_links_are_kept(tmp_path: Path) -> None:
    links = [{"context": {"trace_id": "0x1", "span_id": "0x2"}, "attributes": {}}]
    span = written(tmp_path / "t.json", json.dumps([sdk_span(links=links)])).spans[0]
    assert span.attributes["otel.links"] == links
