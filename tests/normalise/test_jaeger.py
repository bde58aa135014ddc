from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from budget_model.records.spans import Span
from tests.imported import DATA, imported, shape, written


def jaeger_span(**changes: Any) -> dict[str, Any]:
    return {
        "traceID": "c3c3c3c3c3c3c3c3",
        "spanID": "d000000000000001",
        "operationName": "request",
        "references": [],
        "startTime": 1796083200000000,
        "duration": 1500,
        "tags": [],
        "logs": [],
        "processID": "p1",
    } | changes


def answer(*spans: dict[str, Any]) -> str:
    process = {"serviceName": "agent", "tags": [{"key": "hostname", "value": "box-1"}]}
    trace = {"traceID": "c3c3c3c3c3c3c3c3", "spans": list(spans), "processes": {"p1": process}}
    return json.dumps({"data": [trace]})


def only(tmp_path: Path, **changes: Any) -> Span:
    batch = written(tmp_path / "trace.json", answer(jaeger_span(**changes)))
    assert batch.rejects == []
    return batch.spans[0]


def tag(key: str, value: Any, type: str = "string") -> dict[str, Any]:
    return {"key": key, "type": type, "value": value}


def test_microseconds_become_exact_nanoseconds(tmp_path: Path) -> None:
    span = only(tmp_path, startTime=1796083200000001)
    assert (span.start_ns, span.end_ns) == (1796083200000001000, 1796083200001501000)


def test_service_and_host_come_from_the_process(tmp_path: Path) -> None:
    span = only(tmp_path)
    assert (span.service, span.host) == ("agent", "box-1")


def test_a_follow_on_span_stays_under_its_parent_and_is_asynchronous() -> None:
    spans = {span.name: span for span in imported(DATA / "jaeger" / "parallel_children.json").spans}
    audit = spans["audit.write"]
    assert (audit.parent_id, audit.is_async) == ("d000000000000001", True)
    assert not any(span.is_async for span in spans.values() if span is not audit)


def test_a_child_reference_wins_over_a_follow_on_one_and_the_other_is_kept(tmp_path: Path) -> None:
    references = [
        {"refType": "FOLLOWS_FROM", "traceID": "c3c3c3c3c3c3c3c3", "spanID": "aa"},
        {"refType": "CHILD_OF", "traceID": "c3c3c3c3c3c3c3c3", "spanID": "bb"},
    ]
    span = only(tmp_path, references=references)
    assert (span.parent_id, span.is_async) == ("00000000000000bb", False)
    assert span.attributes["otel.links"] == [references[0]]


def test_a_reference_to_another_trace_is_no_parent(tmp_path: Path) -> None:
    span = only(tmp_path, references=[{"refType": "CHILD_OF", "traceID": "ff", "spanID": "aa"}])
    assert (span.parent_id, len(span.attributes["otel.links"])) == ("", 1)


def test_ids_whose_leading_zeros_were_dropped_join_those_that_kept_them(tmp_path: Path) -> None:
    short = jaeger_span(traceID="3c3c3c3c3c3c3c3", spanID="2", references=[])
    full = jaeger_span(
        traceID="03c3c3c3c3c3c3c3",
        spanID="3",
        references=[{"refType": "CHILD_OF", "traceID": "3c3c3c3c3c3c3c3", "spanID": "0000000000000002"}],
    )
    assert shape(written(tmp_path / "t.json", answer(short, full)).spans) | {"errors": 0} == {
        "records": 2,
        "distinct": 2,
        "traces": 1,
        "roots": 1,
        "orphans": 0,
        "errors": 0,
    }


def test_an_error_tag_makes_an_error_in_every_spelling(tmp_path: Path) -> None:
    tags = (tag("error", True, "bool"), tag("error", "true", "bool"), tag("otel.status_code", "ERROR"))
    assert [only(tmp_path, tags=[one]).status for one in tags] == ["ERROR"] * 3
    assert only(tmp_path, tags=[tag("error", False, "bool")]).status == "UNSET"


def test_tags_keep_the_type_they_say_even_when_written_as_text(tmp_path: Path) -> None:
    span = only(tmp_path, tags=[tag("n", "12", "int64"), tag("x", "1.5", "float64"), tag("id", "007")])
    assert (span.attributes["n"], span.attributes["x"], span.attributes["id"]) == (12, 1.5, "007")


def test_the_kind_is_read_from_its_tag_and_an_unknown_one_is_unspecified(tmp_path: Path) -> None:
    assert only(tmp_path, tags=[tag("span.kind", "server")]).kind == "SERVER"
    assert only(tmp_path, tags=[tag("span.kind", "sideways")]).kind == "UNSPECIFIED"


def test_logs_become_events_with_their_time(tmp_path: Path) -> None:
    log = {"timestamp": 1796083200000700, "fields": [tag("event", "first token"), tag("n", 1, "int64")]}
    event = only(tmp_path, logs=[log]).events[0]
    assert (event.name, event.time_ns, event.attributes["n"]) == ("first token", 1796083200000700000, 1)


def test_a_bad_span_is_refused_alone_with_its_place(tmp_path: Path) -> None:
    bad = [jaeger_span(startTime=None), jaeger_span(duration="soon"), jaeger_span(spanID=""), {"spanID": 5}]
    batch = written(tmp_path / "t.json", answer(jaeger_span(), *bad))
    assert (batch.records, batch.accepted) == (5, 1)
    assert [reject.where for reject in batch.rejects] == [f"document, span {n}" for n in (2, 3, 4, 5)]
    assert "startTime" in batch.rejects[0].reason


def test_a_bare_trace_and_data_as_an_object_are_read_too(tmp_path: Path) -> None:
    whole = json.loads(answer(jaeger_span()))
    for content in (whole["data"][0], {"data": whole["data"][0]}, whole["data"]):
        assert written(tmp_path / "t.json", json.dumps(content)).accepted == 1


def test_a_broken_trace_among_good_ones_is_refused_alone(tmp_path: Path) -> None:
    whole = json.loads(answer(jaeger_span()))
    whole["data"].append({"traceID": "ab", "spans": None})
    batch = written(tmp_path / "t.json", json.dumps(whole))
    assert (batch.accepted, [reject.where for reject in batch.rejects]) == (1, ["document, trace 2"])


def test_a_long_text_is_cut_and_said_so(tmp_path: Path) -> None:
    batch = written(tmp_path / "t.json", answer(jaeger_span(tags=[tag("prompt", "x" * 1_000_000)])))
    assert len(batch.spans[0].attributes["prompt"]) < 20_000
    assert [warning.code for warning in batch.warnings] == ["text-cut"]
    assert batch.spans[0].end_ns == 1796083200001500000
