from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget_model.normalise import otlp
from budget_model.records.raw import TEXT_CUT, RawRecord, ReadOptions
from budget_model.records.rejects import Reject, Warned
from budget_model.records.spans import Span

DATA = Path(__file__).parent.parent / "data" / "otlp_json"
TRACE, SPAN = "ab" * 16, "cd" * 8
START = 1796083200000000001


def wire(**changes: Any) -> dict[str, Any]:
    span = {
        "traceId": TRACE,
        "spanId": SPAN,
        "name": "op",
        "kind": 2,
        "startTimeUnixNano": str(START),
        "endTimeUnixNano": str(START + 5),
    }
    return {name: value for name, value in (span | changes).items() if value is not ...}


def export(*spans: Any, resource: Any = None, scope: Any = None) -> bytes:
    scopes = [{"scope": scope or {}, "spans": list(spans)}]
    return json.dumps({"resourceSpans": [{"resource": resource or {}, "scopeSpans": scopes}]}).encode()


def normalise(payload: bytes, options: ReadOptions | None = None) -> list[Span | Reject | Warned]:
    return list(otlp.normalise(RawRecord("line 3", payload), options or ReadOptions()))


def spans_of(payload: bytes) -> list[Span]:
    found = normalise(payload)
    spans = [item for item in found if isinstance(item, Span)]
    assert len(spans) == len(found), found
    return spans


def attribute(value: Any) -> dict[str, Any]:
    return {"attributes": [{"key": "k", "value": value}]}


def read_file(name: str) -> list[Span]:
    content = (DATA / name).read_bytes()
    payloads = content.splitlines() if name.endswith("l") else [content]
    return [span for payload in payloads for span in spans_of(payload)]


@pytest.mark.parametrize(
    ("name", "records", "distinct", "traces", "roots", "errors"),
    [
        ("monocle_all.otlp.jsonl", 114, 110, 12, 8, 1),
        ("monocle_test_azure_openai_finish_reason_integratio.otlp.json", 8, 4, 4, 0, 1),
        ("monocle_test_litellm_openai_sample.otlp.json", 6, 6, 2, 2, 0),
        ("opentelemetry_proto_trace.json", 1, 1, 1, 0, 0),
        ("otel_traces_01.json", 4, 4, 2, 0, 4),
        ("otlp2jaeger-in-error.json", 1, 1, 1, 0, 0),
        ("otlp2jaeger-in.json", 2, 1, 1, 0, 0),
        ("exported_again.otlp.jsonl", 5, 3, 1, 1, 1),
    ],
)
def test_real_files_give_the_spans_they_hold(
    name: str, records: int, distinct: int, traces: int, roots: int, errors: int
) -> None:
    spans = read_file(name)
    keys = {(span.trace_id, span.span_id) for span in spans}
    assert (len(spans), len(keys), len({span.trace_id for span in spans})) == (records, distinct, traces)
    assert len({span.span_id for span in spans if not span.parent_id}) == roots
    assert len({(span.trace_id, span.span_id) for span in spans if span.status == "ERROR"}) == errors


def test_every_spelling_seen_in_files_joins_into_one_tree() -> None:
    root, retrieve, call, decode = read_file("every_spelling.otlp.json")
    assert {span.trace_id for span in (root, retrieve, call, decode)} == {"5f3c9a7e10b24d68a1c4e9d2b7f60835"}
    assert (root.parent_id, root.kind, root.end_ns) == ("", "SERVER", 1796083200900000000)
    assert (retrieve.span_id, retrieve.parent_id) == ("c0ffee0000000002", root.span_id)
    assert (retrieve.kind, retrieve.status, retrieve.status_message) == ("CLIENT", "ERROR", "partial result")
    assert (call.parent_id, call.status, call.service) == (root.span_id, "OK", "model")
    assert call.attributes == {"gen_ai.usage.input_tokens": 1200, "gen_ai.usage.output_tokens": 80}
    assert (decode.parent_id, decode.kind, decode.service) == (call.span_id, "UNSPECIFIED", "")
    assert decode.start_ns == 1796083200400000000


@pytest.mark.parametrize(
    "changes",
    [
        {"traceId": TRACE.upper(), "spanId": SPAN.upper()},
        {"traceId": base64.b64encode(bytes.fromhex(TRACE)).decode()},
        {"startTimeUnixNano": START, "endTimeUnixNano": START + 5},
        {"kind": "SPAN_KIND_SERVER"},
        {"kind": "server"},
        {"kind": "2"},
        {"parentSpanId": ""},
        {"parentSpanId": None},
        {"parentSpanId": "0" * 16},
        {"attributes": None, "events": None, "status": None, "links": None},
        {"status": {"code": "STATUS_CODE_UNSET"}},
        {"attributes": {}},
        {"traceId": ..., "trace_id": TRACE, "spanId": ..., "span_id": SPAN},
        {"parentSpanId": ..., "parent_span_id": ""},
        {"endTimeUnixNano": ..., "end_time_unix_nano": START + 5},
        {"startTimeUnixNano": ..., "start_time_unix_nano": START, "parent_span_id": ""},
    ],
)
def test_a_spelling_changes_nothing_of_the_span(changes: dict[str, Any]) -> None:
    assert spans_of(export(wire(**changes))) == spans_of(export(wire()))


@pytest.mark.parametrize(
    "list_name", ["scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans"]
)
def test_older_names_of_the_list_of_scopes_are_read(list_name: str) -> None:
    payload = {"resource_spans": [{"resource": {}, list_name: [{"spans": [wire()]}]}]}
    assert spans_of(json.dumps(payload).encode()) == spans_of(export(wire()))


@pytest.mark.parametrize("end", [..., 0, "0", "", None])
def test_no_end_and_an_end_of_zero_are_not_recorded(end: Any) -> None:
    assert spans_of(export(wire(endTimeUnixNano=end)))[0].end_ns is None


def test_an_end_before_the_start_is_kept_as_sent() -> None:
    assert spans_of(export(wire(endTimeUnixNano=str(START - 700))))[0].end_ns == START - 700


def test_a_span_without_a_kind_is_kept() -> None:
    assert spans_of(export(wire(kind=...)))[0].kind == "UNSPECIFIED"


@pytest.mark.parametrize(
    ("changes", "value", "words"),
    [
        ({"traceId": ...}, "no value", "traceId must be 32 hexadecimal digits"),
        ({"traceId": "ab" * 24}, "ab" * 24, "traceId must be 32 hexadecimal digits"),
        ({"traceId": "0" * 32}, "0" * 32, "all zeros"),
        ({"spanId": "xyz"}, "xyz", "spanId must be 16 hexadecimal digits"),
        ({"spanId": "zz" * 8}, "zz" * 8, "spanId must be 16 hexadecimal digits"),
        ({"parentSpanId": "abc"}, "abc", "parentSpanId must be 16 hexadecimal digits"),
        ({"startTimeUnixNano": "soon"}, "soon", "startTimeUnixNano must be a whole number"),
        ({"startTimeUnixNano": 1.5}, "1.5", "startTimeUnixNano must be a whole number"),
        ({"startTimeUnixNano": ...}, "no value", "startTimeUnixNano must be a time above zero"),
        ({"startTimeUnixNano": "-5"}, "-5", "whole nanoseconds since 1970"),
        ({"endTimeUnixNano": str(2**63)}, str(2**63), "whole nanoseconds since 1970"),
        ({"kind": 9}, "9", "kind must be 0 to 5 or one of UNSPECIFIED"),
        ({"status": {"code": "BAD"}}, "BAD", "status code must be 0 to 2 or one of UNSET"),
        ({"attributes": 5}, "5", "attributes must be a list"),
        ({"attributes": [5]}, "5", 'an attribute must be an object with a "key"'),
        ({"events": [1]}, "1", "an event must be a JSON object"),
        (attribute({"intValue": "many"}), "many", "intValue must be a whole number"),
    ],
)
def test_a_bad_span_is_refused_with_its_place_and_its_siblings_go_in(
    changes: dict[str, Any], value: str, words: str
) -> None:
    first, refused, last = normalise(export(wire(name="a"), wire(**changes), wire(name="b")))
    assert isinstance(first, Span)
    assert isinstance(last, Span)
    assert (first.name, last.name) == ("a", "b")
    assert isinstance(refused, Reject)
    assert (refused.where, refused.value) == ("line 3, span 2", value)
    assert words in refused.reason


def test_a_span_that_is_no_object_is_refused_alone() -> None:
    assert [type(item) for item in normalise(export(wire(), 7))] == [Span, Reject]


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        (b"123", "not valid JSON for this format"),
        (b"nonsense", "not valid JSON"),
        (export(wire())[:-20], "ends in the middle of a value"),
        (b'{"resourceMetrics": []}', "the line holds metrics; only traces"),
        (b'{"something": 1}', 'must have "resourceSpans"'),
        (b'{"resourceSpans": 5}', "not valid JSON for this format"),
        (b'{"resourceSpans": [{"x": ' + b"[" * 100_000, "nested too deeply"),
        (export(wire()).replace(b"op", b"o\x00p"), "not valid JSON"),
    ],
)
def test_a_line_that_is_no_trace_export_is_one_refusal(payload: bytes, words: str) -> None:
    (refused,) = normalise(payload)
    assert isinstance(refused, Reject)
    assert refused.where.startswith("line 3")
    assert words in refused.reason


def test_text_that_is_not_utf8_refuses_its_span_alone() -> None:
    payload = export(wire(name="good"), wire(name="BAD")).replace(b"BAD", b"\xff\xfe")
    assert [type(item) for item in normalise(payload)] == [Span, Reject]


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ({"stringValue": "x"}, "x"),
        ({"stringValue": "null"}, "null"),
        ({"intValue": "9007199254740993"}, 9007199254740993),
        ({"intValue": 7}, 7),
        ({"int_value": 7}, 7),
        ({"doubleValue": 0.25}, 0.25),
        ({"doubleValue": 3}, 3.0),
        ({"doubleValue": "NaN"}, "nan"),
        ({"boolValue": False}, False),
        ({"bytesValue": "AQI="}, "AQI="),
        ({"arrayValue": {"values": [{"stringValue": "a"}, {"intValue": "2"}]}}, ["a", 2]),
        ({"arrayValue": {}}, []),
        ({"kvlistValue": {"values": [{"key": "a", "value": {"boolValue": True}}]}}, {"a": True}),
        (
            {"kvlistValue": {"values": [{"key": "a", "value": {"arrayValue": {"values": [{}]}}}]}},
            {"a": [None]},
        ),
        ({"string_value": "x"}, "x"),
        ({"kvlist_value": {"values": []}}, {}),
        ({"unknownValue": 1}, '{"unknownValue":1}'),
        ({}, None),
        (None, None),
        ("plain", "plain"),
        (4, 4),
    ],
)
def test_attribute_values_of_every_kind_are_kept(value: Any, kept: Any) -> None:
    found = spans_of(export(wire(**attribute(value))))[0].attributes
    assert found == {"k": kept}
    assert type(found["k"]) is type(kept)


def test_a_value_nested_without_end_does_not_exhaust_the_stack() -> None:
    value: dict[str, Any] = {"intValue": "1"}
    for _ in range(150):
        value = {"arrayValue": {"values": [value]}}
    found = spans_of(export(wire(**attribute(value))))[0].attributes["k"]
    depth = 0
    while isinstance(found, list):
        found, depth = found[0], depth + 1
    assert depth == 32
    assert isinstance(found, str)


@pytest.mark.parametrize(
    "value",
    [
        {"stringValue": "x" * 1_000_000},
        {"arrayValue": {"values": [{"stringValue": "y" * 100}] * 1000}},
    ],
)
def test_a_huge_attribute_is_cut_with_a_note_and_the_times_kept(value: Any) -> None:
    span, note = normalise(export(wire(**attribute(value))))
    assert isinstance(span, Span)
    assert isinstance(note, Warned)
    assert (span.start_ns, span.end_ns) == (START, START + 5)
    assert len(span.attributes["k"]) < 16_500
    assert "characters kept]" in span.attributes["k"]
    assert span.attributes[TEXT_CUT] == ["k"]
    assert (note.code, note.count) == ("text-cut", 1)
    assert "line 3" in note.example


def test_events_links_and_what_the_sender_dropped_are_kept() -> None:
    event = {"timeUnixNano": str(START + 1), "name": "first_token", **attribute({"intValue": "3"})}
    link = {"traceId": TRACE, "spanId": "ef" * 8}
    changes = {"events": [event], "links": [link], "traceState": "a=b", "droppedAttributesCount": 2}
    (span,) = spans_of(export(wire(**changes)))
    assert [(e.name, e.time_ns, e.attributes) for e in span.events] == [("first_token", START + 1, {"k": 3})]
    assert span.attributes == {
        "otel.links": [link],
        "otel.trace_state": "a=b",
        "otel.dropped_attributes_count": 2,
    }


def test_spans_of_one_scope_share_their_resource_with_the_scopes_name() -> None:
    resource = {
        "attributes": [
            {"key": "service.name", "value": {"stringValue": "gateway"}},
            {"key": "host.name", "value": {"stringValue": "h1"}},
        ]
    }
    first, second = spans_of(export(wire(), wire(), resource=resource, scope={"name": "lib", "version": "2"}))
    assert first.resource is second.resource
    assert (first.service, first.host) == ("gateway", "h1")
    assert first.resource["otel.scope.name"] == "lib"
    assert first.resource["otel.scope.version"] == "2"


def test_a_document_too_large_for_one_go_gives_the_same_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read_file("monocle_all.otlp.jsonl")
    monkeypatch.setattr(otlp, "_WHOLE_AT_MOST", 10)
    assert read_file("monocle_all.otlp.jsonl") == whole


HEX = st.sampled_from([TRACE, TRACE.upper(), "ab", None, 5])
TIME = st.sampled_from([str(START), START, "x", None, 0, -1])
KEPT = st.sampled_from([{}, {"kind": 3}, {"kind": "CLIENT"}, {"attributes": 1}, {"events": []}])


@given(st.lists(st.tuples(HEX, TIME, KEPT), max_size=6))
def test_every_span_of_an_export_is_either_taken_or_refused(
    made: list[tuple[Any, Any, dict[str, Any]]],
) -> None:
    spans = [wire(traceId=trace, startTimeUnixNano=start, **more) for trace, start, more in made]
    found = normalise(export(*spans))
    assert sum(isinstance(item, Span | Reject) for item in found) == len(spans)
