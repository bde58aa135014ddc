from __future__ import annotations

import gzip
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from budget_model.errors import SourceError
from budget_model.records.raw import Piece, RawRecord, ReadOptions
from budget_model.sources.table_rows import rows
from tests.imported import DATA, imported, warning_codes, written


def parquet(path: Path, **columns: pa.Array) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def test_parquet_cells_keep_their_type_and_nan_is_no_value(tmp_path: Path) -> None:
    ns = 1796083200123456789
    path = parquet(
        tmp_path / "log",
        request_id=pa.array(["a", "b"]),
        started_at=pa.array([ns, ns], pa.timestamp("ns", "UTC")),
        e2e_ms=pa.array([1.5, float("nan")]),
        tenant=pa.array(["007", None]),
    )
    batch = imported(path)
    assert [(fact.start_us, fact.e2e_us, fact.tenant) for fact in batch.facts] == [
        (1796083200123456, 1500, "007"),
        (1796083200123456, None, None),
    ]
    assert warning_codes(batch) == {"no-number"}


def test_a_parquet_time_without_zone_is_taken_as_utc_and_said_so(tmp_path: Path) -> None:
    start = datetime(2026, 12, 1, tzinfo=UTC).replace(tzinfo=None)
    path = parquet(tmp_path / "log", started_at=pa.array([start], pa.timestamp("us")), e2e_ms=pa.array([1]))
    batch = imported(path)
    assert (batch.facts[0].start_us, warning_codes(batch)) == (1796083200000000, {"zone-assumed"})


def test_a_damaged_parquet_file_is_refused_whole(tmp_path: Path) -> None:
    content = bytearray((DATA / "request_log" / "llm_requests.parquet").read_bytes())
    content[200:4000] = bytes(3800)
    path = tmp_path / "log"
    path.write_bytes(content)
    with pytest.raises(SourceError, match="the Parquet file is damaged"):
        imported(path)


def test_a_gzipped_log_is_the_same_log(tmp_path: Path) -> None:
    plain = DATA / "request_log" / "llm_requests.csv"
    packed = tmp_path / "log"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert imported(packed).facts == imported(plain).facts


def test_a_cut_gzip_is_refused_whole(tmp_path: Path) -> None:
    packed = tmp_path / "log"
    packed.write_bytes(gzip.compress((DATA / "request_log" / "llm_requests.csv").read_bytes())[:-2000])
    with pytest.raises(SourceError, match="cut short or damaged"):
        imported(packed)


def test_lines_that_are_no_object_are_refused_alone(tmp_path: Path) -> None:
    text = '{"request_id": "a", "e2e_ms": 1}\n[1]\n{"half\n\n5\n{"request_id": "b", "e2e_ms": 1e999}\n'
    batch = written(tmp_path / "log", text)
    assert [reject.where for reject in batch.rejects] == ["line 2", "line 3", "line 5", "line 6"]
    assert batch.accepted == 1


def test_progress_never_goes_back_and_ends_at_the_size_of_the_file(tmp_path: Path) -> None:
    path = DATA / "request_log" / "llm_requests.csv"
    found = rows(Piece(str(path), "request-log", "csv"), ReadOptions())
    places = [row.bytes_read for row in found if isinstance(row, RawRecord)]
    assert places == sorted(places)
    assert places[-1] == path.stat().st_size
