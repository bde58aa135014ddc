"""Exports of one and the same runs, made by MLflow 3.17.2 of runs that AIPerf 0.13.0 logged."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from budget_model.errors import SourceError
from budget_model.services.run_counts import RunCounts
from budget_model.services.run_files import import_runs
from tests.imported import DATA
from tests.services.homes import home
from tests.services.runs import listed

REST, TABLE = DATA / "mlflow_runs" / "runs_search_rest.json.gz", DATA / "mlflow_runs" / "search_runs.csv"


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    path = tmp_path / "runs.parquet"
    pq.write_table(pa_csv.read_csv(TABLE), path)
    return path


@pytest.mark.parametrize(
    ("name", "concurrency", "ttft_p50", "ttft_p99", "e2e_p99", "ok", "failed"),
    [
        ("chat-c2", 2, 55.6735, 103.505, 472.01, 190, 10),
        ("chat-c8", 8, 137.868, 312.706, 607.776, 188, 12),
        ("chat-c24", 24, 854.296, 1026.08, 1356.16, 186, 14),
    ],
)
def test_an_answer_of_the_server_gives_the_figures_that_were_measured(
    tmp_path: Path,
    name: str,
    concurrency: int,
    ttft_p50: float,
    ttft_p99: float,
    e2e_p99: float,
    ok: int,
    failed: int,
) -> None:
    at = home(tmp_path)
    assert import_runs(at, REST).counts == RunCounts(read=3, accepted=3)
    [point] = [one for one in listed(at).points if one.run.name == name]
    expected = {
        "model": "mock-model",
        "concurrency": concurrency,
        "ttft_p50_ms": pytest.approx(ttft_p50, rel=1e-5),
        "ttft_p99_ms": pytest.approx(ttft_p99, rel=1e-5),
        "e2e_p99_ms": pytest.approx(e2e_p99, rel=1e-5),
        "ttft_n": ok,
        "requests_ok": ok,
        "requests_failed": failed,
        "region": "us-east",
        "token_budget": None,
    }
    assert {field: point.value(field) for field in expected} == expected


def test_the_same_runs_as_json_csv_and_parquet_are_the_same_points(tmp_path: Path, parquet: Path) -> None:
    homes = [home(tmp_path / name) for name in ("rest", "csv", "parquet")]
    for at, file in zip(homes, (REST, TABLE, parquet), strict=True):
        assert import_runs(at, file).counts == RunCounts(read=3, accepted=3)
    first, *others = ([one.as_json() for one in listed(at).points] for at in homes)
    assert first[0]["measured"]["ttft_p99_ms"] > 1000
    assert others == [first, first]
    for file in (REST, TABLE, parquet):
        assert import_runs(homes[0], file).counts == RunCounts(read=3, duplicates=3)


def test_a_run_that_cannot_be_read_is_refused_alone(tmp_path: Path) -> None:
    answer = json.loads(gzip.decompress(REST.read_bytes()))
    answer["runs"][0]["data"]["metrics"][0]["value"] = "much"
    answer["runs"][1]["info"]["end_time"] = 5
    path = tmp_path / "runs.json"
    path.write_text(json.dumps(answer))
    report = import_runs(home(tmp_path / "home"), path)
    assert (report.counts.accepted, report.counts.rejected, report.counts.read) == (1, 2, 3)
    assert [one.reason for one in report.rejects] == [
        "the run cannot be read: could not convert string to float: 'much'",
        "the run ends before it starts",
    ]


def test_a_later_export_replaces_what_an_earlier_one_said(tmp_path: Path) -> None:
    at, path = home(tmp_path / "home"), tmp_path / "runs.csv"
    for ttft in ("100", "200"):
        path.write_text(f"run_id,experiment_id,status,metrics.p99_ttft_ms\nabc,1,FINISHED,{ttft}\n")
        counts = import_runs(at, path).counts
    assert (counts.accepted, counts.updated) == (1, 1)
    [point] = listed(at).points
    assert point.value("ttft_p99_ms") == 200


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "it has no column run_id"),
        (b"name,value\n", "it has no column run_id"),
        (b'{"traces": []}', "holds no MLflow runs"),
        (b'{"runs": [', "ends in the middle of a value"),
        (b"PAR1 but no more", "the Parquet file is damaged"),
        (b"\x1f\x8b\x08 but no more", ""),
    ],
)
def test_a_file_of_something_else_is_refused_by_its_name(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "odd.bin"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=rf"odd\.bin.*{words}"):
        import_runs(home(tmp_path / "home"), path)
    assert listed(home(tmp_path / "home")).points == ()
