"""What is written, read back with the standard library's JSON."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from budget_model.demo.plans import FAILED
from budget_model.demo.timeline import Simulation
from tests.demo.conftest import NOW_NS, write

Read = dict[str, Any]


def exports(paths: list[Path]) -> list[Read]:
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def spans(small_files: list[Path]) -> list[Read]:
    """All spans with their resource's attributes as ``resource``."""
    found = []
    for export in exports(small_files):
        for group in export["resourceSpans"]:
            resource = {a["key"]: a["value"]["stringValue"] for a in group["resource"]["attributes"]}
            for scope in group["scopeSpans"]:
                found += [span | {"resource": resource} for span in scope["spans"]]
    return found


@pytest.fixture(scope="module")
def traces(spans: list[Read]) -> dict[str, dict[str, Read]]:
    by_trace: dict[str, dict[str, Read]] = defaultdict(dict)
    for span in spans:
        by_trace[span["traceId"]][span["spanId"]] = span
    return by_trace


def times(span: Read) -> tuple[int, int]:
    return int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])


def test_the_same_simulation_is_written_byte_for_byte_the_same(
    small: Simulation, small_files: list[Path], tmp_path: Path
) -> None:
    again = write(small, tmp_path)
    assert [p.name for p in again] == [p.name for p in small_files]
    assert [p.read_bytes() for p in again] == [p.read_bytes() for p in small_files]


def test_there_is_one_file_a_day_and_one_root_a_request(
    small: Simulation, small_files: list[Path], spans: list[Read]
) -> None:
    assert len(small_files) == 15
    roots = [span for span in spans if not span["parentSpanId"]]
    assert len(roots) == len(small)
    assert len({root["traceId"] for root in roots}) == len(small)


def test_span_ids_are_unique(spans: list[Read]) -> None:
    assert len({span["spanId"] for span in spans}) == len(spans) > 9 * 2_000
    assert {len(span["spanId"]) for span in spans} == {16}
    assert {len(span["traceId"]) for span in spans} == {32}


def test_children_lie_inside_their_parents_unless_nobody_waits_for_them(
    traces: dict[str, dict[str, Read]],
) -> None:
    checked = 0
    for trace in traces.values():
        for span in trace.values():
            if not span["parentSpanId"] or span["name"] == "audit process":
                continue
            (start, end), (first, last) = times(span), times(trace[span["parentSpanId"]])
            assert first <= start <= end <= last, (span["name"], span["traceId"])
            checked += 1
    assert checked > 8 * len(traces)


def test_an_engine_span_is_as_long_as_its_stages_and_what_comes_before_them(spans: list[Read]) -> None:
    engines = [span for span in spans if span["name"] == "llm_request"]
    for span in engines:
        values = {a["key"]: a["value"] for a in span["attributes"]}
        seconds = {
            name.rpartition(".")[2]: value["doubleValue"]
            for name, value in values.items()
            if name.startswith("gen_ai.latency.")
        }
        start, end = times(span)
        assert seconds["e2e"] == pytest.approx((end - start) / 1e9, abs=1e-9)
        assert seconds["time_to_first_token"] + seconds["time_in_model_decode"] == pytest.approx(
            seconds["e2e"]
        )
        assert seconds["time_in_queue"] + seconds["time_in_model_prefill"] < seconds["time_to_first_token"]
    assert len(engines) > 0.98 * 2_000


def test_some_traces_lie_on_two_lines(small_files: list[Path]) -> None:
    seen: dict[str, set[int]] = defaultdict(set)
    for number, export in enumerate(exports(small_files)):
        for group in export["resourceSpans"]:
            for scope in group["scopeSpans"]:
                for span in scope["spans"]:
                    seen[span["traceId"]].add(number)
    assert 50 < sum(len(lines) > 1 for lines in seen.values()) < 1_000


def test_a_line_holds_several_resources_each_once(small_files: list[Path]) -> None:
    for export in exports(small_files):
        resources = [json.dumps(group["resource"]) for group in export["resourceSpans"]]
        assert len(resources) == len(set(resources))
    assert max(len(export["resourceSpans"]) for export in exports(small_files)) > 5


def test_failed_requests_have_an_error_at_the_root(
    small: Simulation, traces: dict[str, dict[str, Read]]
) -> None:
    failed = 0
    for trace in traces.values():
        root = next(span for span in trace.values() if not span["parentSpanId"])
        message = root.get("status", {}).get("message", "")
        failed += message[:3] in ("400", "503", "504")
    assert failed == (small.plans.end == FAILED).sum() == 20


def test_no_span_is_later_than_now(spans: list[Read]) -> None:
    assert max(times(span)[1] for span in spans) <= NOW_NS
