from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.imported import DATA, imported, warning_codes, written

FIRST_TOKEN = DATA / "event_log" / "first_token.jsonl"


def event(**changes: Any) -> dict[str, Any]:
    return {
        "request_id": "s1",
        "ts_unix_nano": "1796083210000000001",
        "event": "chunk",
        "n_tokens": 1,
    } | changes


def lines(*events: dict[str, Any]) -> str:
    return "".join(json.dumps(one) + "\n" for one in events)


def as_csv(events: list[dict[str, Any]]) -> str:
    columns = list(dict.fromkeys(name for one in events for name in one))
    out = io.StringIO()
    writer = csv.DictWriter(out, columns)
    writer.writeheader()
    writer.writerows(events)
    return out.getvalue()


def test_an_event_is_a_span_of_no_width_in_the_trace_of_its_request() -> None:
    batch = imported(FIRST_TOKEN)
    assert (batch.records, batch.accepted, batch.warnings) == (31, 31, [])
    first = batch.spans[0]
    assert (first.record, first.trace_id, first.name, first.start_ns) == (
        "event",
        "s1",
        "request_sent",
        1796083210000000000,
    )
    assert first.end_ns == first.start_ns
    assert first.attributes == {
        "n_tokens": 0,
        "tenant": "north",
        "region": "eu",
        "workload": "chat",
        "prompt_tokens": 900,
    }


def test_every_event_has_an_id_of_its_own_and_the_same_one_each_time() -> None:
    once, again = imported(FIRST_TOKEN).spans, imported(FIRST_TOKEN).spans
    assert len({span.span_id for span in once}) == 31
    assert [span.span_id for span in once] == [span.span_id for span in again]


def test_the_same_events_as_csv_are_the_same_spans(tmp_path: Path) -> None:
    events = [json.loads(line) for line in FIRST_TOKEN.read_text(encoding="utf-8").splitlines()]
    from_csv = written(tmp_path / "events.csv", as_csv(events))
    assert from_csv.spans == imported(FIRST_TOKEN).spans


def test_a_tenant_that_looks_like_a_number_stays_text_in_a_csv(tmp_path: Path) -> None:
    batch = written(tmp_path / "e.csv", as_csv([event(tenant="007", status="429")]))
    assert (batch.spans[0].attributes["tenant"], batch.spans[0].attributes["status"]) == ("007", 429)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ts_unix_nano", 1796083210000000000),
        ("ts_us", 1796083210000000),
        ("ts_ms", 1796083210000),
        ("ts_s", 1796083210.0),
        ("timestamp", "2026-12-01T00:00:10Z"),
        ("timestamp", 1796083210),
    ],
)
def test_the_same_moment_in_every_spelling(tmp_path: Path, name: str, value: Any) -> None:
    batch = written(tmp_path / "e.jsonl", lines({"request_id": "s1", "event": "chunk", name: value}, event()))
    assert batch.spans[0].start_ns == 1796083210000000000


def test_a_fraction_of_a_second_keeps_its_nanoseconds(tmp_path: Path) -> None:
    text = '{"request_id": "s1", "event": "chunk", "ts_s": 1796083210.123456789}\n' * 2
    assert written(tmp_path / "e.jsonl", text).spans[0].start_ns == 1796083210123456789


def test_fractions_inside_a_field_stay_numbers(tmp_path: Path) -> None:
    batch = written(tmp_path / "e.jsonl", lines(event(usage={"cost": [0.5]}, weight=0.25), event()))
    assert batch.spans[0].attributes == {"n_tokens": 1, "usage": {"cost": [0.5]}, "weight": 0.25}


def test_an_unknown_event_is_kept_and_named(tmp_path: Path) -> None:
    batch = written(tmp_path / "e.jsonl", lines(event(event="teapot"), event()))
    assert [span.name for span in batch.spans] == ["teapot", "chunk"]
    assert [(warning.code, warning.count) for warning in batch.warnings] == [("unknown-event", 1)]
    assert "'teapot'" in batch.warnings[0].example


def test_events_without_request_name_or_time_are_refused_alone(tmp_path: Path) -> None:
    bad = [event(request_id=""), event(event=None), event(ts_unix_nano=None), event(ts_unix_nano="soon")]
    batch = written(tmp_path / "e.jsonl", lines(event(), *bad) + '{"half\n[1]\n')
    assert (batch.records, batch.accepted) == (7, 1)
    assert [reject.where for reject in batch.rejects] == [f"line {n}" for n in range(2, 8)]


def test_times_that_count_from_nowhere_are_said_to(tmp_path: Path) -> None:
    relative = {"request_id": "s1", "event": "chunk", "ts_ms": 15}
    batch = written(tmp_path / "e.jsonl", lines(relative, event()))
    assert (batch.spans[0].start_ns, warning_codes(batch)) == (15_000_000, {"time-relative"})


@pytest.mark.parametrize("count", [-5, 1.5, "x", 10**13, [1], True])
def test_an_event_with_a_token_count_that_is_none_is_refused_by_column(tmp_path: Path, count: object) -> None:
    batch = written(tmp_path / "e.jsonl", lines(event(), event(n_tokens=count)))
    assert (batch.accepted, batch.rejects[0].where) == (1, "line 2")
    assert batch.rejects[0].reason.startswith("n_tokens must be")
