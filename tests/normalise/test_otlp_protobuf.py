from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.common.v1.common_pb2 import (
    AnyValue,
    ArrayValue,
    InstrumentationScope,
    KeyValue,
    KeyValueList,
)
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, Status

from budget_model.normalise import otlp, otlp_protobuf
from budget_model.records.raw import TEXT_CUT, RawRecord, ReadOptions
from budget_model.records.rejects import Reject, Warned
from budget_model.records.spans import Span as MadeSpan

DATA = Path(__file__).parent.parent / "data" / "otlp_json"


def wire_value(value: dict[str, Any]) -> AnyValue:
    if "intValue" in value:
        return AnyValue(int_value=int(value["intValue"]))
    if "arrayValue" in value:
        return AnyValue(array_value=ArrayValue(values=[wire_value(v) for v in value["arrayValue"]["values"]]))
    names = {"stringValue": "string_value", "doubleValue": "double_value", "boolValue": "bool_value"}
    ((name, found),) = value.items()
    return AnyValue(**{names[name]: found})


def wire_pairs(pairs: list[dict[str, Any]]) -> list[KeyValue]:
    return [KeyValue(key=pair["key"], value=wire_value(pair["value"])) for pair in pairs]


def wire_span(span: dict[str, Any]) -> Span:
    return Span(
        trace_id=bytes.fromhex(span["traceId"]),
        span_id=bytes.fromhex(span["spanId"]),
        parent_span_id=bytes.fromhex(span.get("parentSpanId", "")),
        name=span["name"],
        kind=span["kind"],
        start_time_unix_nano=int(span["startTimeUnixNano"]),
        end_time_unix_nano=int(span["endTimeUnixNano"]),
        attributes=wire_pairs(span["attributes"]),
        status=Status(code=span["status"].get("code", 0), message=span["status"].get("message", "")),
        events=[
            Span.Event(
                name=event["name"],
                time_unix_nano=int(event["timeUnixNano"]),
                attributes=wire_pairs(event.get("attributes", [])),
            )
            for event in span.get("events", [])
        ],
    )


def as_protobuf(export: dict[str, Any]) -> list[bytes]:
    return [
        ResourceSpans(
            resource=Resource(attributes=wire_pairs(entry["resource"]["attributes"])),
            scope_spans=[
                ScopeSpans(
                    scope=InstrumentationScope(name=scope["scope"]["name"]),
                    spans=[wire_span(span) for span in scope["spans"]],
                )
                for scope in entry["scopeSpans"]
            ],
        ).SerializeToString()
        for entry in export["resourceSpans"]
    ]


def normalise(payload: bytes) -> list[MadeSpan | Reject | Warned]:
    return list(otlp_protobuf.normalise(RawRecord("resource 1", payload), ReadOptions()))


def one(**changes: Any) -> bytes:
    span: dict[str, Any] = {
        "trace_id": b"\xab" * 16,
        "span_id": b"\xcd" * 8,
        "name": "op",
        "start_time_unix_nano": 5,
    } | changes
    return ResourceSpans(
        scope_spans=[ScopeSpans(spans=[Span(**span), Span(**span | {"name": "last"})])]
    ).SerializeToString()


def test_a_real_file_gives_the_same_spans_as_its_json() -> None:
    lines = (DATA / "monocle_all.otlp.jsonl").read_bytes().splitlines()
    options = ReadOptions()
    from_json = [item for line in lines for item in otlp.normalise(RawRecord("line", line), options)]
    from_protobuf = [
        item for line in lines for part in as_protobuf(json.loads(line)) for item in normalise(part)
    ]
    spans = [item for item in from_protobuf if isinstance(item, MadeSpan)]
    assert spans == [item for item in from_json if isinstance(item, MadeSpan)]
    assert len(spans) == 114


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"trace_id": b"abc"}, "trace_id must be 16 bytes"),
        ({"trace_id": bytes(16)}, "that are not all zero"),
        ({"span_id": b""}, "span_id must be 8 bytes"),
        ({"parent_span_id": b"x"}, "parent_span_id must be 8 bytes"),
        ({"start_time_unix_nano": 0}, "nanoseconds since 1970"),
        ({"end_time_unix_nano": 2**64 - 1}, "nanoseconds since 1970"),
        ({"kind": 17}, "kind must be 0 to 5"),
    ],
)
def test_a_bad_span_is_refused_with_its_place(changes: dict[str, Any], words: str) -> None:
    found = normalise(one(**changes))
    assert [item.where for item in found if isinstance(item, Reject)] == [
        "resource 1, span 1",
        "resource 1, span 2",
    ]
    assert all(words in item.reason for item in found if isinstance(item, Reject))


def test_a_good_sibling_of_a_bad_span_goes_in() -> None:
    good, bad = Span(trace_id=b"\xab" * 16, span_id=b"\xcd" * 8, start_time_unix_nano=5), Span()
    found = normalise(ResourceSpans(scope_spans=[ScopeSpans(spans=[bad, good])]).SerializeToString())
    assert [type(item) for item in found] == [Reject, MadeSpan]


def test_no_end_and_a_parent_of_zeros_are_not_recorded_and_a_root() -> None:
    span = normalise(one(parent_span_id=bytes(8)))[0]
    assert isinstance(span, MadeSpan)
    assert (span.end_ns, span.parent_id, span.kind, span.status) == (None, "", "UNSPECIFIED", "UNSET")


def test_values_of_every_kind_are_kept() -> None:
    values = {
        "list": AnyValue(array_value=ArrayValue(values=[AnyValue(int_value=1), AnyValue()])),
        "object": AnyValue(
            kvlist_value=KeyValueList(values=[KeyValue(key="a", value=AnyValue(bool_value=True))])
        ),
        "bytes": AnyValue(bytes_value=b"\x01\x02"),
        "double": AnyValue(double_value=0.5),
    }
    span = normalise(one(attributes=[KeyValue(key=name, value=value) for name, value in values.items()]))[0]
    assert isinstance(span, MadeSpan)
    assert span.attributes == {"list": [1, None], "object": {"a": True}, "bytes": "AQI=", "double": 0.5}


def test_a_huge_text_is_cut_with_a_note() -> None:
    pairs = [KeyValue(key="prompt", value=AnyValue(string_value="x" * 100_000))]
    span, note, *_ = normalise(one(attributes=pairs))
    assert isinstance(span, MadeSpan)
    assert isinstance(note, Warned)
    assert span.attributes[TEXT_CUT] == ["prompt"]
    assert note.code == "text-cut"


def test_bytes_that_are_no_message_are_one_refusal() -> None:
    (refused,) = normalise(b"\xff\xff\xff")
    assert isinstance(refused, Reject)
    assert refused.reason == "an OTLP ResourceSpans message is accepted"
