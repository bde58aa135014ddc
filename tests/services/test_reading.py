from __future__ import annotations

import gzip
import json
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budget_model.errors import FilterError, SourceError, UnknownFormatError
from budget_model.records.raw import ReadOptions
from budget_model.records.spans import Span
from budget_model.services import reading
from budget_model.services.formats import reader_of
from budget_model.services.reading import Batch, plan, read_part
from budget_model.sources import lines
from budget_model.sources.detect import FORMATS

DATA = Path(__file__).parent.parent / "data" / "otlp_json"
LINES = DATA / "monocle_all.otlp.jsonl"


def read(
    path: Path, parts: int = 1, options: ReadOptions | None = None, batch_records: int = 100_000
) -> list[Batch]:
    return [
        batch
        for part in plan(path, parts=parts)
        for batch in read_part(part, options or ReadOptions(), batch_records)
    ]


def spans(batches: list[Batch]) -> list[Span]:
    return [span for batch in batches for span in batch.spans]


def counts(batches: list[Batch]) -> tuple[int, int, int]:
    return (
        sum(batch.records for batch in batches),
        sum(batch.accepted for batch in batches),
        sum(len(batch.rejects) for batch in batches),
    )


def multiset(batches: list[Batch]) -> Counter[str]:
    return Counter(repr(span) for span in spans(batches))


@pytest.fixture
def cut_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_MIN_PART_BYTES", 1)


def test_a_real_file_gives_its_records(tmp_path: Path) -> None:
    assert counts(read(LINES)) == (114, 114, 0)


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_compressed_file_gives_the_same_and_is_one_part(tmp_path: Path, pack: Any) -> None:
    path = tmp_path / "packed"
    path.write_bytes(pack(LINES.read_bytes()))
    assert len(plan(path, parts=8)) == 1
    batches = read(path)
    assert multiset(batches) == multiset(read(LINES))
    assert batches[-1].bytes_read == path.stat().st_size


def test_a_document_is_one_part() -> None:
    path = DATA / "monocle_test_litellm_openai_sample.otlp.json"
    assert len(plan(path, parts=8)) == 1
    assert counts(read(path)) == (6, 6, 0)


def test_a_small_file_is_not_cut() -> None:
    assert len(plan(LINES, parts=8)) == 1


@pytest.mark.usefixtures("cut_anywhere")
def test_parts_survive_the_way_to_another_process() -> None:
    parts = plan(LINES, parts=3)
    assert len(parts) == 3
    assert pickle.loads(pickle.dumps(parts)) == parts


GOOD = LINES.read_bytes().splitlines()
LINE = st.one_of(
    st.sampled_from(GOOD[2:4] + GOOD[6:]),
    st.sampled_from([b"", b"  ", b"nonsense", b"123", b'{"resourceLogs": []}', GOOD[6][:500]]),
)


@pytest.mark.usefixtures("cut_anywhere")
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=st.lists(LINE, max_size=8), parts=st.integers(1, 30), batch=st.integers(1, 50))
def test_cutting_and_batching_change_nothing(
    tmp_path: Path, made: list[bytes], parts: int, batch: int
) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"\n".join([GOOD[7], *made]))
    whole, cut = (
        read(path),
        [
            found
            for part in lines.cut(plan(path, format="otlp-jsonl")[0], path.stat().st_size, parts)
            for found in read_part(part, ReadOptions(), batch)
        ],
    )
    assert multiset(cut) == multiset(whole)
    assert counts(cut) == counts(whole)
    records, accepted, rejected = counts(cut)
    assert records == accepted + rejected
    assert accepted == len(spans(cut))
    assert [r for b in cut for r in b.rejects] == [r for b in whole for r in b.rejects]


def test_batches_are_about_as_large_as_asked() -> None:
    sizes = [batch.records for batch in read(LINES, batch_records=20)]
    assert sum(sizes) == 114
    assert len(sizes) > 3
    assert max(sizes) <= 20 + 43  # a batch ends with a whole line, and the longest holds 43 spans


def test_a_cut_last_line_is_refused_with_its_number_and_the_rest_goes_in(tmp_path: Path) -> None:
    path = tmp_path / "half"
    path.write_bytes(LINES.read_bytes()[:-1000])
    batches = read(path)
    assert counts(batches) == (109, 108, 1)
    (refused,) = batches[0].rejects
    assert refused.where == "line 8"
    assert "half a file" in refused.reason


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_compressed_file_cut_short_is_refused_whole(tmp_path: Path, pack: Any) -> None:
    path = tmp_path / "half"
    packed = pack(LINES.read_bytes())
    path.write_bytes(packed[: len(packed) * 9 // 10])
    with pytest.raises(SourceError, match=r"half: the .* data is cut short or damaged"):
        read(path)


def test_half_a_document_is_refused_whole(tmp_path: Path) -> None:
    path = tmp_path / "half"
    path.write_bytes((DATA / "otel_traces_01.json").read_bytes()[:5000])
    with pytest.raises(SourceError, match="half: the JSON ends in the middle of a value"):
        read(path)


def test_what_is_no_export_is_refused_when_planning(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"[]")
    with pytest.raises(UnknownFormatError):
        plan(tmp_path / "f")


def test_given_dimensions_are_marked_on_every_span() -> None:
    made = spans(read(LINES, options=ReadOptions(set_dimensions={"tenant": "acme"})))
    assert {span.resource["tailbudget.tenant"] for span in made} == {"acme"}
    assert all("tailbudget.tenant" not in span.resource for span in spans(read(LINES)))
    with pytest.raises(FilterError, match="'colour' cannot be set for a file; accepted are workload, tenant"):
        read(LINES, options=ReadOptions(set_dimensions={"colour": "red"}))


def test_notes_of_one_kind_are_counted_together(tmp_path: Path) -> None:
    value = {"stringValue": "x" * 50_000}
    span = {
        "traceId": "ab" * 16,
        "spanId": "cd" * 8,
        "startTimeUnixNano": "5",
        "attributes": [{"key": "prompt", "value": value}],
    }
    line = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span, span]}]}]})
    (tmp_path / "f").write_text(line + "\n" + line + "\n")
    (batch,) = read(tmp_path / "f")
    (note,) = batch.warnings
    assert (note.code, note.count) == ("text-cut", 4)
    assert note.example.startswith("line 1")


def test_progress_never_goes_back_and_ends_at_the_size() -> None:
    places = [batch.bytes_read for batch in read(LINES, batch_records=10)]
    assert places == sorted(places)
    assert places[-1] == LINES.stat().st_size


@pytest.mark.parametrize("name", FORMATS)
def test_every_known_format_has_a_reader(name: str) -> None:
    reader = reader_of(name)
    assert callable(reader.read)
    assert callable(reader.normalise)
