from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from budget_model.normalise import mlflow_trace
from budget_model.queries.filters import Filter
from budget_model.records.raw import RawRecord, ReadOptions
from budget_model.records.rejects import Reject, Warned
from budget_model.records.spans import Span
from budget_model.services.importing import import_files
from budget_model.services.workspace import Workspace
from tests.imported import DATA, imported, shape
from tests.normalise.test_any_record import json_values
from tests.services.homes import home

FOLDER = DATA / "mlflow_trace"
START_MS = 1_796_083_200_000
START_NS = START_MS * 1_000_000
TRACE = "tr-" + "ab" * 16


def trace(*spans: dict[str, Any], info: dict[str, Any] | None = None, **beside: Any) -> dict[str, Any]:
    """A trace of schema 3."""
    told = {
        "trace_id": TRACE,
        "trace_location": {"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": "7"}},
        "request_time": "2026-12-01T00:00:00Z",
        "execution_duration_ms": 900,
        "state": "OK",
        "trace_metadata": {},
        "tags": {},
        **(info or {}),
    }
    return {"info": told, "data": {"spans": list(spans)}, **beside}


def one(place: int = 1, parent: int | None = None, **changes: Any) -> dict[str, Any]:
    """A span of schema 3 from 0 to 100 ms."""
    ids = ["AAAAAAAAAAE=", "AAAAAAAAAAI=", "AAAAAAAAAAM="]
    return {
        "trace_id": "q6urq6urq6urq6urq6urqw==",
        "span_id": ids[place - 1],
        "parent_span_id": None if parent is None else ids[parent - 1],
        "name": "work",
        "start_time_unix_nano": START_NS,
        "end_time_unix_nano": START_NS + 100_000_000,
        "status": {"code": "STATUS_CODE_OK", "message": ""},
        "attributes": {},
        "events": [],
        **changes,
    }


def read(value: Any, limit: int = 1000) -> list[Span | Reject | Warned]:
    raw = RawRecord("line 1", json.dumps(value).encode())
    return list(mlflow_trace.normalise(raw, ReadOptions(max_text_chars=limit)))


def spans(value: Any, limit: int = 1000) -> list[Span]:
    found = [item for item in read(value, limit) if not isinstance(item, Warned)]
    assert all(isinstance(item, Span) for item in found), found
    return [item for item in found if isinstance(item, Span)]


# file, traces, spans, spans of the trace without a root
FILES = [
    ("mlflow_2.22_schema_v2.jsonl", 12, 36),
    ("mlflow_3.18_demo_traces.jsonl", 21, 59),
    ("mlflow_3.18_from_otlp.jsonl", 12, 110),
    ("mlflow_3.18_rest_traces_get.jsonl", 3, 5),
]


@pytest.mark.parametrize(("name", "traces", "count"), FILES)
def test_real_exports_of_every_shape_are_read_whole(name: str, traces: int, count: int) -> None:
    batch = imported(FOLDER / name)
    assert (len(batch.rejects), shape(batch.spans)["traces"], shape(batch.spans)["distinct"]) == (
        0,
        traces,
        count,
    )


@pytest.mark.parametrize(("name", "traces", "count"), FILES)
@pytest.mark.parametrize("way", ["list", "one after another"])
def test_a_list_and_loose_documents_are_read_as_lines_are(
    tmp_path: Path, name: str, traces: int, count: int, way: str
) -> None:
    lines = (FOLDER / name).read_text().splitlines()
    text = (
        f"[{','.join(lines)}]"
        if way == "list"
        else "\n".join(json.dumps(json.loads(x), indent=1) for x in lines)
    )
    (tmp_path / "export.json").write_text(text)
    whole = imported(FOLDER / name)
    assert imported(tmp_path / "export.json").spans == whole.spans


def test_the_trace_s_id_meets_that_of_its_opentelemetry_export() -> None:
    [span] = spans(trace(one()))
    assert span.trace_id == "ab" * 16
    assert span.span_id == "0000000000000001"
    assert span.attributes["mlflow.trace_id"] == TRACE
    assert span.resource["mlflow.experiment_id"] == "7"


@pytest.mark.parametrize("written", ["AAAAAAAAAAE=", "0000000000000001", "0x1", "0x0000000000000001"])
def test_span_ids_are_one_in_every_spelling(written: str) -> None:
    assert spans(trace(one(span_id=written)))[0].span_id == "0000000000000001"


def test_values_of_attributes_are_what_their_json_text_stands_for() -> None:
    texts = {
        "a": '"CHAIN"',
        "b": "12",
        "c": "plain",
        "d": '{"x": [1, null]}',
        "e": '"say \\"no\\""',
        "f": "NaN",
    }
    [span] = spans(trace(one(attributes=texts)))
    assert {name: span.attributes[name] for name in texts} == {
        "a": "CHAIN", "b": 12, "c": "plain", "d": {"x": [1, None]}, "e": 'say "no"', "f": "NaN",
    }  # fmt: skip


def test_a_user_s_tags_are_on_every_span_and_mlflow_s_own_on_the_root() -> None:
    told = {
        "tags": {"tenant.id": "acme", "mlflow.traceName": "chat"},
        "trace_metadata": {"mlflow.trace.user": "u"},
    }
    root, child = spans(trace(one(), one(2, 1), info=told))
    assert root.resource is child.resource
    assert root.resource["tenant.id"] == "acme"
    assert root.attributes["mlflow.trace.user"] == "u"
    assert "mlflow.trace.user" not in child.attributes


def test_long_texts_are_cut_and_said_to_be() -> None:
    found = read(trace(one(attributes={"mlflow.spanInputs": '"' + "x" * 5000 + '"'})))
    [span] = [item for item in found if isinstance(item, Span)]
    [remark] = [item for item in found if isinstance(item, Warned)]
    assert len(span.attributes["mlflow.spanInputs"]) < 1100
    assert remark.code == "text-cut"


@pytest.mark.parametrize(("unit", "scale"), [("us", 1_000), ("ns", 1)])
def test_event_times_are_microseconds_in_schema_2_and_nanoseconds_in_3(unit: str, scale: int) -> None:
    event = {"name": "first_token", "timestamp": (START_NS + 40_000_000) // scale, "attributes": {}}
    assert spans(trace(one(events=[event])))[0].events[0].time_ns == START_NS + 40_000_000


@pytest.mark.parametrize("end", [None, 0])
def test_an_end_that_is_missing_or_zero_is_no_end(end: int | None) -> None:
    assert spans(trace(one(end_time_unix_nano=end)))[0].end_ns is None


def test_a_trace_without_spans_is_listed_by_what_is_told_of_it() -> None:
    [finished] = spans(trace())
    assert finished.end_ns is not None
    assert finished.end_ns - finished.start_ns == 900_000_000
    [running] = spans(trace(info={"state": "IN_PROGRESS"}))
    assert running.end_ns is None


def test_the_totals_of_a_trace_are_left_to_the_spans_that_were_counted() -> None:
    usage = json.dumps({"input_tokens": 5, "output_tokens": 7})
    told = {"trace_metadata": {"mlflow.trace.tokenUsage": usage}}
    assert "mlflow.trace.tokenUsage" in spans(trace(one(), info=told))[0].attributes
    counted = one(2, 1, attributes={"mlflow.chat.tokenUsage": usage})
    assert "mlflow.trace.tokenUsage" not in spans(trace(one(), counted, info=told))[0].attributes


def test_what_a_sync_adds_is_on_every_span() -> None:
    [span] = spans(trace(one(), tailbudget_seen=3, tailbudget_origin="http://host"))
    assert span.resource["tailbudget.seen"] == 3
    assert span.resource["mlflow.pages"] == "http://host"


def test_one_bad_span_is_refused_and_its_siblings_go_in() -> None:
    found = read(trace(one(), one(2, 1, start_time_unix_nano=None), one(3, 1)))
    assert [type(item) for item in found] == [Reject, Span, Span]
    assert isinstance(found[0], Reject)
    assert found[0].where == "line 1, span 2"


def _broken(value: Any, other: Any) -> Iterator[dict[str, Any]]:
    yield trace(value)
    yield trace(one(attributes=value, events=[other]))
    yield trace(one(span_id=value, parent_span_id=other))
    yield trace(one(start_time_unix_nano=value, end_time_unix_nano=other))
    yield trace(one(status=value, kind=other))
    yield {"info": value, "data": other}
    yield {"trace": value}
    yield trace(one(), info={"tags": value, "request_time": other})
    yield trace(info={"trace_id": value, "execution_duration": other})


@given(json_values, json_values)
def test_whatever_stands_in_a_trace_it_is_taken_or_refused(value: Any, other: Any) -> None:
    for broken in _broken(value, other):
        found = [item for item in read(broken) if not isinstance(item, Warned)]
        assert found
        assert all(isinstance(item, Span | Reject) for item in found)


def flags_of(folder: Path, traces: Iterable[dict[str, Any]]) -> dict[str, int]:
    path = folder / "traces.jsonl"
    path.write_text("\n".join(map(json.dumps, traces)))
    settings = home(folder / "home", workers=1)
    import_files(settings, [path])
    workspace = Workspace(settings)
    try:
        counts = workspace.figures.counts(Filter())
    finally:
        workspace.close()
    return {"ok": counts.ok, "failed": counts.failed, **dict(counts.flagged)}


@pytest.mark.parametrize(
    ("spans", "flag", "ok"),
    [
        ([one(end_time_unix_nano=0)], "unfinished_span", 0),
        ([one(), one(2, 1, end_time_unix_nano=0)], "unfinished_span", 1),
        ([one(end_time_unix_nano=START_NS - 700_000_000)], "negative_duration", 0),
        ([one(), one(2, 1, status={"code": "STATUS_CODE_ERROR"})], "error_below_ok_root", 1),
    ],
)
def test_what_mlflow_calls_ok_is_flagged_where_its_spans_say_otherwise(
    tmp_path: Path, spans: list[dict[str, Any]], flag: str, ok: int
) -> None:
    found = flags_of(tmp_path, [trace(*spans, info={"execution_duration_ms": -1796080000000})])
    assert found[flag] == 1
    assert found["ok"] == ok
