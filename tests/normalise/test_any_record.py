"""Whatever stands in a record, it is accepted or refused exactly once and never stops the import."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget_model.normalise import event_log, jaeger, otel_sdk, request_log, span_list, zipkin
from budget_model.records.facts import RequestFact
from budget_model.records.raw import Normaliser, RawRecord, ReadOptions
from budget_model.records.rejects import Reject, Warned
from budget_model.records.rows import Row
from budget_model.records.spans import Span

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(["0x12", "2026-12-01T00:00:00Z", "1e400", "-1", "SERVER", "ab" * 8, "٣"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)

GOOD: dict[str, dict[str, Any]] = {
    "jaeger": {
        "traceID": "ab",
        "spanID": "cd",
        "operationName": "x",
        "startTime": 1796083200000000,
        "duration": 5,
        "references": [{"refType": "CHILD_OF", "traceID": "ab", "spanID": "ef"}],
        "tags": [{"key": "error", "type": "bool", "value": True}],
        "logs": [{"timestamp": 1796083200000001, "fields": []}],
        "processID": "p1",
    },
    "zipkin": {
        "traceId": "ab",
        "id": "cd",
        "parentId": "ef",
        "kind": "CLIENT",
        "name": "x",
        "timestamp": 1796083200000000,
        "duration": 5,
        "localEndpoint": {"serviceName": "a"},
        "remoteEndpoint": {"serviceName": "b"},
        "annotations": [{"timestamp": 1796083200000001, "value": "ws"}],
        "tags": {"a": "b"},
    },
    "otel_sdk": {
        "context": {"trace_id": "0xab", "span_id": "0xcd"},
        "parent_id": "0xef",
        "name": "x",
        "kind": "SpanKind.SERVER",
        "start_time": "2026-12-01T00:00:00Z",
        "end_time": "2026-12-01T00:00:01Z",
        "status": {"status_code": "OK"},
        "attributes": {"a": 1},
        "events": [{"name": "e", "timestamp": "2026-12-01T00:00:00Z"}],
        "links": [],
        "resource": {"attributes": {"service.name": "s"}},
    },
    "span_list": {
        "trace_id": "t",
        "span_id": "s",
        "parent_span_id": "p",
        "name": "x",
        "kind": "SPAN_KIND_SERVER",
        "start_time": "2026-12-01T00:00:00Z",
        "end_time": "2026-12-01T00:00:01Z",
        "status": {"code": 1},
        "attributes": {"a": 1},
        "resource_attributes": {"service.name": "s"},
        "events": [],
    },
    "event_log": {
        "request_id": "r",
        "event": "chunk",
        "ts_ms": 1796083200000,
        "n_tokens": 1,
        "tenant": "t",
    },
    "request_log": {
        "request_id": "r",
        "started_at": "2026-12-01T00:00:00Z",
        "e2e_ms": 100,
        "prefill_ms": 10,
        "ttft_ms": 20,
        "duration": 5,
        "duration_unit": "ms",
        "prompt_tokens": 5,
        "output_tokens": 5,
        "status": "ok",
        "error": "",
        "attempts": 1,
        "tenant": "t",
    },
}


def as_json(found: dict[str, Any]) -> bytes:
    return msgspec.json.encode(found)


PAYLOADS: dict[str, tuple[Normaliser, Callable[[dict[str, Any]], Any]]] = {
    "jaeger": (jaeger.normalise, lambda found: (as_json(found), b'{"serviceName": "s", "tags": []}')),
    "zipkin": (zipkin.normalise, lambda found: (as_json(found), frozenset({"cd", "ef"}))),
    "otel_sdk": (otel_sdk.normalise, as_json),
    "span_list": (span_list.normalise, lambda found: (as_json(found), "outer")),
    "event_log": (event_log.normalise, lambda found: found),
    "request_log": (request_log.normalise, lambda found: Row(found, "derived-1")),
}


def outcomes(name: str, found: dict[str, Any]) -> list[Any]:
    normalise, payload = PAYLOADS[name]
    items: Iterator[Any] = normalise(RawRecord("line 1", payload(found)), ReadOptions())
    return [item for item in items if not isinstance(item, Warned)]


@pytest.mark.parametrize("name", GOOD)
def test_the_good_record_is_accepted(name: str) -> None:
    assert [type(item) for item in outcomes(name, GOOD[name])] in ([Span], [RequestFact])


@pytest.mark.parametrize("name", GOOD)
@given(data=st.data())
def test_any_change_gives_exactly_one_record_or_refusal(name: str, data: st.DataObject) -> None:
    field = data.draw(st.sampled_from(list(GOOD[name])))
    changed = GOOD[name] | {field: data.draw(json_values)}
    found = outcomes(name, changed)
    assert len(found) == 1
    assert isinstance(found[0], Span | RequestFact | Reject)
    msgspec.json.encode(found[0])  # what is kept can be written as JSON


@pytest.mark.parametrize("name", GOOD)
@given(found=st.dictionaries(st.text(max_size=10), json_values, max_size=4))
def test_any_object_gives_exactly_one_record_or_refusal(name: str, found: dict[str, Any]) -> None:
    assert len(outcomes(name, found)) == 1


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1, 10**400])
def test_a_number_beyond_64_bits_is_kept_as_text(number: int) -> None:
    span = outcomes("event_log", GOOD["event_log"] | {"weight": number})[0]
    assert span.attributes["weight"] == str(number)


@given(changes=st.dictionaries(st.sampled_from(list(GOOD["request_log"])), json_values, max_size=4))
def test_an_accepted_row_adds_up_and_has_no_negative_time(changes: dict[str, Any]) -> None:
    found = outcomes("request_log", GOOD["request_log"] | changes)[0]
    if isinstance(found, RequestFact):
        assert sum(us for us in found.path_us if us is not None) == (found.e2e_us or 0)
        times = (found.e2e_us, found.ttft_us, found.tpot_us, found.generation_us, *found.path_us)
        assert all(us is None or us >= 0 for us in times)
