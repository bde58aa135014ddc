"""The file that is measured is the same on every machine, and is what it says it is."""

from __future__ import annotations

import json
from pathlib import Path

from bench.traces import SPANS_PER_TRACE, write_traces


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second, other = (tmp_path / name for name in ("a", "b", "c"))
    for path, seed in ((first, 1), (second, 1), (other, 2)):
        assert write_traces(path, 20, seed) == path.stat().st_size
    assert first.read_bytes() == second.read_bytes() != other.read_bytes()


def test_a_line_is_one_trace_of_nine_spans_whose_children_lie_inside_their_parents(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    write_traces(path, 5, 1)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 5
    for line in lines:
        spans = json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"]
        assert len(spans) == SPANS_PER_TRACE
        by_id = {span["spanId"]: span for span in spans}
        assert len(by_id) == SPANS_PER_TRACE
        for span in spans:
            parent = by_id.get(span["parentSpanId"], span)
            assert int(parent["startTimeUnixNano"]) <= int(span["startTimeUnixNano"])
            assert int(span["endTimeUnixNano"]) <= int(parent["endTimeUnixNano"])
