from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.imported import DATA, imported, written


def zipkin_span(**changes: Any) -> dict[str, Any]:
    return {"traceId": "1e223ff1f80f1c69", "id": "a1", "name": "get", "timestamp": 1470150004071068} | changes


def test_the_server_half_of_a_shared_id_is_a_child_of_the_client_half() -> None:
    spans = {span.span_id: span for span in imported(DATA / "zipkin" / "skew.json").spans}
    client, server = spans["74280ae0c10d8062"], spans["74280ae0c10d8062~server"]
    assert (client.kind, server.kind) == ("CLIENT", "SERVER")
    assert server.parent_id == client.span_id
    assert spans["43210ae0c10d1234"].parent_id == server.span_id
    assert client.parent_id == "bf396325699c84bf"


def test_a_server_span_whose_client_half_is_absent_keeps_its_place(tmp_path: Path) -> None:
    spans = [zipkin_span(), zipkin_span(id="b2", parentId="a1", kind="SERVER", shared=True)]
    batch = written(tmp_path / "t.json", json.dumps(spans))
    assert [(span.span_id, span.parent_id) for span in batch.spans] == [
        ("00000000000000a1", ""),
        ("00000000000000b2", "00000000000000a1"),
    ]


def test_equal_ids_in_different_traces_are_not_shared(tmp_path: Path) -> None:
    spans = [zipkin_span(kind="CLIENT"), zipkin_span(kind="SERVER", traceId="ff")]
    batch = written(tmp_path / "t.json", json.dumps(spans))
    assert [span.span_id for span in batch.spans] == ["00000000000000a1"] * 2


def test_a_consumer_does_not_hold_up_its_producer() -> None:
    spans = imported(DATA / "zipkin" / "messaging-kafka.json").spans
    assert {span.is_async for span in spans if span.kind == "CONSUMER" and span.parent_id} == {True}
    assert {span.is_async for span in spans if span.kind != "CONSUMER" or not span.parent_id} == {False}


def test_a_span_without_duration_has_no_end(tmp_path: Path) -> None:
    assert written(tmp_path / "t.json", json.dumps([zipkin_span()])).spans[0].end_ns is None


def test_a_span_without_time_stamp_starts_with_its_first_annotation(tmp_path: Path) -> None:
    notes = [{"timestamp": 1470150004071099, "value": "ws"}, {"timestamp": 1470150004071070, "value": "wr"}]
    span = written(tmp_path / "t.json", json.dumps([zipkin_span(timestamp=None, annotations=notes)])).spans[0]
    assert span.start_ns == 1470150004071070000
    assert [event.name for event in span.events] == ["ws", "wr"]


def test_a_span_without_any_time_is_refused_alone(tmp_path: Path) -> None:
    batch = written(tmp_path / "t.json", json.dumps([zipkin_span(), zipkin_span(timestamp=None)]))
    assert (batch.accepted, batch.rejects[0].where) == (1, "document, span 2")


def test_an_error_tag_makes_an_error_whatever_it_says(tmp_path: Path) -> None:
    span = written(tmp_path / "t.json", json.dumps([zipkin_span(tags={"error": ""})])).spans[0]
    assert span.status == "ERROR"


def test_a_list_of_traces_and_traces_a_line_give_the_same_spans(tmp_path: Path) -> None:
    trace = json.loads((DATA / "zipkin" / "skew.json").read_text(encoding="utf-8"))
    whole = written(tmp_path / "whole.json", json.dumps(trace)).spans
    nested = written(tmp_path / "nested.json", json.dumps([trace, [zipkin_span()]])).spans
    lines = written(
        tmp_path / "lines.json", json.dumps(trace) + "\n" + json.dumps([zipkin_span()]) + "\n"
    ).spans
    assert nested[: len(whole)] == lines[: len(whole)] == whole


def test_a_time_of_hundreds_of_digits_is_refused_alone(tmp_path: Path) -> None:
    spans = [zipkin_span(), zipkin_span(timestamp=10**400), zipkin_span(duration=10**400)]
    batch = written(tmp_path / "t.json", json.dumps(spans))
    assert (batch.accepted, len(batch.rejects)) == (1, 2)
    assert "whole microseconds" in batch.rejects[0].reason
