"""Inputs from MLflow that other tools got wrong."""

from __future__ import annotations

import json
import math
import sqlite3
import time
import tracemalloc
from contextlib import closing
from pathlib import Path

import pytest

from tests.cases.homes import figures
from tests.commands.homes import answer, run
from tests.imported import DATA
from tests.mlflow_server import MlflowServer
from tests.services.mlflow_logging import log, logged
from tests.services.mlflow_posting import experiment

MIXED = DATA / "cases" / "H08-mlflow-traces-v2-v3.json"


def test_both_schemas_are_read_and_what_is_in_progress_is_in_no_figure(tmp_path: Path) -> None:
    [file] = answer(tmp_path, "import", str(MIXED))["files"]
    assert (file["requests"], file["rejected"]) == (6, 0)
    row = figures(tmp_path, "e2e")["e2e"]
    assert (row["n"], row["failed"], row["p50_ms"]) == (3, 1, 640)


@pytest.mark.parametrize("q", [("1", 0.4), ("99", 1200)])
def test_a_span_tells_the_time_where_the_trace_says_zero(tmp_path: Path, q: tuple[str, float]) -> None:
    answer(tmp_path, "import", str(MIXED))
    [row] = answer(tmp_path, "percentiles", "--metric", "e2e", "--q", q[0])["rows"]
    assert row[f"p{q[0]}_ms"] == q[1]


@pytest.mark.parametrize("broken", [0, 2, 5])
@pytest.mark.parametrize("rest", ['{"info":', '{"info": ,', '{"info": {"trace_id": "tr-1", '])
def test_one_half_written_trace_in_a_list_is_refused_by_its_place(
    tmp_path: Path, broken: int, rest: str
) -> None:
    traces = [json.dumps(trace) for trace in json.loads(MIXED.read_text())]
    traces[broken] = rest
    path = tmp_path / "traces.json"
    path.write_text(f"[{','.join(traces)}]")
    [file] = answer(tmp_path / "home", "import", str(path))["files"]
    assert (file["requests"], file["rejected"]) == (5, 1)
    assert file["rejects"][0]["where"] == f"trace {broken + 1}"


def test_one_half_written_trace_in_lines_is_refused_by_its_line(tmp_path: Path) -> None:
    traces = [json.dumps(trace) for trace in json.loads(MIXED.read_text())]
    path = tmp_path / "traces.jsonl"
    path.write_text("\n".join([*traces[:3], '{"info":', *traces[3:]]))
    [file] = answer(tmp_path / "home", "import", str(path))["files"]
    assert (file["requests"], file["rejected"]) == (6, 1)
    assert file["rejects"][0]["where"] == "line 4"


def test_half_a_list_is_not_taken_for_the_whole(tmp_path: Path) -> None:
    path = tmp_path / "traces.json"
    path.write_text(MIXED.read_text()[:4000])
    done = run(tmp_path / "home", "import", str(path), "--json")
    assert done.exit_code == 2
    [failure] = json.loads(done.stdout)["failures"]
    assert "ends in the middle" in failure["error"]


@pytest.mark.mlflow
@pytest.mark.parametrize("direct", [False, True], ids=["api", "database"])
def test_a_metric_of_many_steps_is_read_up_to_a_bound_and_said_to_be_cut(
    tmp_path: Path, mlflow_server: MlflowServer, long_run: tuple[str, str], direct: bool
) -> None:
    sweep, run_id = long_run
    place = ["--direct", mlflow_server.database_url] if direct else []
    answer(tmp_path, "sync", "mlflow", mlflow_server.url, "--experiment", sweep, *place)
    tracemalloc.start()
    began = time.monotonic()
    found = answer(tmp_path, "runs", "history", run_id, "p99_ttft_ms", "--points", "500")
    took_s, (_, peak) = time.monotonic() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (found["n"], found["cut"], found["points"][-1]) == (500, True, {"step": 499, "value": 499})
    assert took_s < 10
    assert peak < 30_000_000
    assert [point["value"] for point in answer(tmp_path, "runs", "history", run_id, "gaps")["points"]] == [
        *(1.0, None, None)
    ]


@pytest.fixture(scope="module")
def long_run(mlflow_server: MlflowServer) -> tuple[str, str]:
    """Experiment and id of a run with 100,000 steps of one metric."""
    sweep = experiment(mlflow_server.url)
    [run_id] = log(
        mlflow_server, logged(sweep, "long", {"p99_ttft_ms": 0.0, "gaps": [1.0, math.nan, math.inf]})
    )
    # The client would take a minute to log them.
    steps = (("p99_ttft_ms", step, 1_796_083_200_000 + step, step, run_id) for step in range(1, 100_000))
    path = mlflow_server.database_url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path, timeout=30)) as database, database:
        database.executemany(
            "INSERT INTO metrics (key, value, timestamp, step, is_nan, run_uuid) VALUES (?, ?, ?, ?, 0, ?)",
            steps,
        )
    return sweep, run_id
