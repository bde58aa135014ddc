"""Syncing with a real MLflow server, over HTTP and from its database."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from budget_model.services.importing import import_files
from budget_model.services.mlflow_report import SyncReport, SyncRequest
from budget_model.services.mlflow_sync import sync_mlflow
from budget_model.settings import Settings
from budget_model.store.ledger import Ledger
from budget_model.store.mlflow_catalog import MlflowCatalog
from tests.mlflow_server import MlflowServer, environment
from tests.services.homes import home, requests_of, span, traces
from tests.services.mlflow_posting import delete, experiment, post

pytestmark = pytest.mark.mlflow

NUMBERS = itertools.count(1, 1000)
"""Where each test's traces begin: ids are unique in a server, whatever the experiment."""


@pytest.fixture
def numbers() -> range:
    first = next(NUMBERS)
    return range(first, first + 20)


@pytest.fixture
def chat(mlflow_server: MlflowServer) -> str:
    """An experiment of the test's own."""
    return experiment(mlflow_server.url)


def sync(at: Settings, server: MlflowServer, experiment_id: str, *, direct: bool = False) -> SyncReport:
    request = SyncRequest(server.url, (experiment_id,), server.database_url if direct else "")
    report = sync_mlflow(at, request)
    assert report.error == ""
    assert report.note == ""
    return report


def ids(numbers: range) -> list[str]:
    return [f"tr-{number + 1:032x}" for number in numbers]


@pytest.mark.parametrize("direct", [False, True], ids=["api", "database"])
def test_the_same_traffic_gives_the_same_facts_through_mlflow_and_through_otlp(
    tmp_path: Path, mlflow_server: MlflowServer, chat: str, numbers: range, direct: bool
) -> None:
    file = post(mlflow_server.url, chat, traces(numbers), tmp_path / "otlp.jsonl")
    synced, imported = home(tmp_path / "synced"), home(tmp_path / "imported")
    report = sync(synced, mlflow_server, chat, direct=direct)
    assert (report.kind, report.traces.new, report.spans.accepted) == ("sqlite" if direct else "api", 20, 80)
    import_files(imported, [file])
    assert requests_of(synced).num_rows == 20
    assert requests_of(synced) == requests_of(imported)


def test_the_database_and_the_server_are_one_source_and_give_the_same_facts(
    tmp_path: Path, mlflow_server: MlflowServer, chat: str, numbers: range
) -> None:
    post(mlflow_server.url, chat, traces(numbers), tmp_path / "otlp.jsonl")
    at = home(tmp_path / "home")
    sync(at, mlflow_server, chat)
    before = requests_of(at)
    assert sync(at, mlflow_server, chat, direct=True).traces.new == 0
    assert requests_of(at) == before
    assert sync(at, mlflow_server, chat, direct=True).traces.unchanged == 20


@pytest.mark.parametrize("direct", [False, True], ids=["api", "database"])
def test_late_spans_unfinished_and_deleted_traces(
    tmp_path: Path, mlflow_server: MlflowServer, chat: str, numbers: range, direct: bool
) -> None:
    at, url, first = home(tmp_path / "home"), mlflow_server.url, numbers.start
    rootless = [one for one in traces(range(first, first + 1)) if one["parentSpanId"]]
    post(url, chat, [*rootless, *traces(numbers[1:10])], tmp_path / "1")
    report = sync(at, mlflow_server, chat, direct=direct)
    assert (report.traces.new, report.traces.waiting) == (9, 1)
    unchanged = sync(at, mlflow_server, chat, direct=direct)
    assert (unchanged.traces.unchanged, unchanged.traces.waiting, unchanged.spans.records) == (9, 1, 0)

    late = span(first + 5, 3) | {"spanId": f"{(first + 5) * 16 + 9:016x}", "name": "postprocess"}
    post(url, chat, [span(first, 0), late], tmp_path / "2")
    report = sync(at, mlflow_server, chat, direct=direct)
    assert (report.traces.new, report.traces.updated, report.traces.waiting) == (1, 1, 0)
    assert requests_of(at).num_rows == 10

    gone = ids(numbers)[3:5]
    delete(url, chat, gone)
    report = sync(at, mlflow_server, chat, direct=direct)
    assert (report.traces.deleted, report.traces.unchanged) == (2, 8)
    assert requests_of(at).num_rows == 10
    ledger = Ledger(at)
    assert MlflowCatalog(ledger).deleted_us(gone) is not None
    ledger.close()


def test_a_sync_is_repeated_by_the_command_until_it_is_told_to_stop(
    tmp_path: Path, mlflow_server: MlflowServer, chat: str, numbers: range
) -> None:
    at = home(tmp_path / "home")
    post(mlflow_server.url, chat, traces(numbers[:5]), tmp_path / "1")
    with _repeating(at, mlflow_server, chat) as command:
        assert _next(command)["traces"]["new"] == 5
        post(mlflow_server.url, chat, traces(numbers[5:12]), tmp_path / "2")
        found = 0
        deadline = time.monotonic() + 60
        while found < 7 and time.monotonic() < deadline:
            found += _next(command)["traces"]["new"]
        assert found == 7
        command.send_signal(signal.SIGTERM)
        assert command.wait(timeout=60) == 0
    assert requests_of(at).num_rows == 12
    ledger = Ledger(at)
    (source,) = MlflowCatalog(ledger).sources()
    ledger.close()
    assert (source.state, source.interval_ms) in [("idle", None), ("stopped", None)]


@contextmanager
def _repeating(at: Settings, server: MlflowServer, experiment_id: str) -> Iterator[subprocess.Popen[str]]:
    line = [sys.executable, "-c", "from budget_model.cli import main; main()", "sync", "mlflow", server.url]
    line += ["--experiment", experiment_id, "--every", "1s", "--json", "--home", str(at.home)]
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment()
    ) as command:
        try:
            yield command
        finally:
            command.kill()


def _next(command: subprocess.Popen[str]) -> dict[str, Any]:
    assert command.stdout is not None
    answer: dict[str, Any] = json.loads(command.stdout.readline())
    return answer
