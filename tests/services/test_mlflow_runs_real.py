"""Runs of a real MLflow server, logged by its own client, over HTTP and from its database."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from budget_model.services.mlflow_report import SyncReport, SyncRequest
from budget_model.services.mlflow_sync import sync_mlflow
from budget_model.services.run_points import Point
from budget_model.settings import Settings
from budget_model.sources.mlflow.connect import open_store
from tests.mlflow_server import MlflowServer
from tests.services.homes import home
from tests.services.mlflow_logging import log, logged
from tests.services.mlflow_posting import experiment
from tests.services.runs import listed

pytestmark = pytest.mark.mlflow

AIPERF = {"aiperf.version": "0.13.0", "region": "us-east"}


def sync(at: Settings, server: MlflowServer, experiment_id: str, *, direct: bool) -> SyncReport:
    request = SyncRequest(server.url, (experiment_id,), server.database_url if direct else "", prompts=False)
    report = sync_mlflow(at, request)
    assert (report.error, report.note) == ("", "")
    return report


def by_name(at: Settings) -> dict[str, Point]:
    return {one.run.name: one for one in listed(at).points}


def test_both_ways_give_the_same_points_of_what_the_client_logged(
    tmp_path: Path, mlflow_server: MlflowServer
) -> None:
    sweep = experiment(mlflow_server.url)
    [parent] = log(mlflow_server, logged(sweep, "ramp", {"request_throughput": 4.5}))
    run_ids = log(
        mlflow_server,
        logged(
            sweep,
            "c8",
            {"time_to_first_token.p99": [900.0, 312.7], "request_latency.p50": math.nan,
             "request_latency.p99": math.inf, "inter_chunk_latency.p99": 17.5},
            params={"loadgen.concurrency": "8", "endpoint.models": "m"},
            tags={**AIPERF, "mlflow.parentRunId": parent},
        ),
        logged(sweep, "going on", {}, tags=AIPERF, ended=False),
        logged(sweep, "training", {"loss": 0.25}),
        logged(sweep, "thrown away", {"p99_ttft_ms": 5.0}, deleted=True),
    )  # fmt: skip
    homes = {direct: home(tmp_path / str(direct)) for direct in (False, True)}
    for direct, at in homes.items():
        extras = sync(at, mlflow_server, sweep, direct=direct).extras
        assert {name: n for name, n in extras.items() if n} == {
            "runs_read": 5,
            "runs_accepted": 4,
            "runs_rejected": 1,
            "runs_in_progress": 1,
            "run_metrics_not_finite": 2,
        }
        assert sync(at, mlflow_server, sweep, direct=direct).extras["runs_duplicates"] == 4
    assert listed(homes[False]).rejected[0].run.name == "training"
    over_http, from_database = (by_name(at) for at in homes.values())
    assert set(over_http) == {"ramp", "c8", "going on"}
    assert {k: v.as_json() for k, v in over_http.items()} == {
        k: v.as_json() for k, v in from_database.items()
    }
    point = over_http["c8"]
    assert (point.parent, point.value("concurrency"), point.value("model")) == ("ramp", 8, "m")
    assert point.run.measured == {"tbt_p99_ms": 17.5, "ttft_p99_ms": 312.7}
    assert point.page == f"{mlflow_server.url}/#/experiments/{sweep}/runs/{run_ids[0]}"
    assert sync(homes[False], mlflow_server, sweep, direct=True).extras["runs_duplicates"] == 4


def test_runs_come_in_pages(
    tmp_path: Path, mlflow_server: MlflowServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("runs_api", "runs_database"):
        monkeypatch.setattr(f"budget_model.sources.mlflow.{module}.RUNS_AT_ONCE", 2)
    sweep = experiment(mlflow_server.url)
    log(mlflow_server, *(logged(sweep, f"c{n}", {"p99_ttft_ms": float(n)}) for n in range(5)))
    for uri in (mlflow_server.url, mlflow_server.database_url):
        store = open_store(uri)
        pages = list(store.runs([sweep]))
        store.close()
        assert [len(page) for page in pages] == [2, 2, 1]
        assert sorted(run.name for page in pages for run in page) == ["c0", "c1", "c2", "c3", "c4"]


def test_a_history_is_read_up_to_a_bound_and_said_to_be_cut(mlflow_server: MlflowServer) -> None:
    sweep = experiment(mlflow_server.url)
    [run_id] = log(mlflow_server, logged(sweep, "r", {"x": [float(n) for n in range(50)], "y": 1.0}))
    for uri in (mlflow_server.url, mlflow_server.database_url):
        store = open_store(uri)
        found = store.history(run_id, "x", 10)
        assert (found.is_cut, len(found.points), found.points[-1]) == (True, 10, (9, 9.0))
        assert store.history(run_id, "x", 50).is_cut is False
        assert store.history(run_id, "never logged", 5).points == []
        store.close()
