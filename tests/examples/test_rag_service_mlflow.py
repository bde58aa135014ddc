"""The example's own times beside what the product makes of its traces, through a real MLflow server."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow.parquet as pq
import pytest
import requests

from budget_model.domain.hops import HOPS, MEASURED_HOPS
from budget_model.services.importing import import_files
from budget_model.services.mlflow_report import SyncRequest
from budget_model.services.mlflow_sync import sync_mlflow
from budget_model.settings import Settings
from budget_model.store.ledger import Ledger
from budget_model.store.schema import Kind
from tests.examples.measured import Measured, read_records
from tests.mlflow_server import MlflowServer, environment
from tests.services.homes import home, requests_of
from tests.services.mlflow_posting import TIMEOUT_S, experiment

pytestmark = pytest.mark.mlflow

CONCURRENCY = (1, 4, 8)
REQUESTS = 12
TOLERANCE_MS = 0.01
"""Clocks are read to the nanosecond and facts kept in microseconds: more is a wrong attribution."""

SAME: tuple[str, ...] = ("outcome", "workload", "tenant", "region", "model", "prompt_name", "prompt_version")
SAME += ("prompt_tokens", "output_tokens", "e2e_us", "ttft_us", "generation_us", "span_count", "flags")
SAME += tuple(f"path_{hop}_us" for hop in HOPS) + tuple(f"wall_{hop}_us" for hop in MEASURED_HOPS)


@dataclass(frozen=True, slots=True)
class Run:
    """The traffic of one run, as the example measured it and as each way brought it in."""

    measured: list[Measured]
    mlflow: Settings
    otlp: Settings
    files: list[Path]

    def rows(self, library: str) -> list[dict[str, Any]]:
        """Facts in the order of ``measured``."""
        at = self.mlflow if library == "mlflow" else self.otlp
        found = {row["trace_id"]: row for row in requests_of(at).to_pylist()}
        assert len(found) == len(self.measured)
        return [found[one.trace_ids[library]] for one in self.measured]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory, mlflow_server: MlflowServer) -> Run:
    """Three loads on two slots, traced in both ways at once and brought in by both."""
    folder = tmp_path_factory.mktemp("rag")
    name = f"rag-{uuid.uuid4().hex}"
    # Each slot calculates on one core, so that slots do not slow each other down.
    surroundings = environment() | {"MLFLOW_TRACKING_URI": mlflow_server.url, "OPENBLAS_NUM_THREADS": "1"}
    with _serving(folder, name, surroundings) as url:
        line = [*_command("client", folder, name), "--url", url, "--requests", str(REQUESTS), "--concurrency"]
        line += [str(one) for one in CONCURRENCY]
        done = subprocess.run(line, env=surroundings, capture_output=True, text=True, check=True)
        assert done.stdout.startswith(f"{REQUESTS * len(CONCURRENCY)} of ")
    files = [folder / "client-otlp.jsonl", folder / "server-otlp.jsonl"]
    synced, imported = home(folder / "synced"), home(folder / "imported")
    report = sync_mlflow(synced, SyncRequest(mlflow_server.url, (name,)))
    assert (report.error, report.traces.waiting) == ("", 0)
    import_files(imported, files)
    measured = read_records(folder / "client-record.jsonl", folder / "server-record.jsonl")
    return Run(measured, synced, imported, files)


@contextmanager
def _serving(folder: Path, name: str, surroundings: dict[str, str]) -> Iterator[str]:
    """The example's server in a process of its own; at the end it has sent all its spans."""
    line = [*_command("server", folder, name), "--port", "0", "--slots", "2", "--region", "here"]
    with (
        (folder / "server.log").open("w") as log,
        subprocess.Popen(line, env=surroundings, stdout=subprocess.PIPE, stderr=log, text=True) as server,
    ):
        try:
            assert server.stdout is not None
            yield server.stdout.readline().split()[-1]
            server.send_signal(signal.SIGTERM)
            assert server.wait(timeout=60) == 0, (folder / "server.log").read_text()
        finally:
            server.kill()


def _command(part: str, folder: Path, name: str) -> list[str]:
    line = [sys.executable, "-m", f"examples.rag_service.{part}", "--mlflow", name]
    return [
        *line,
        *("--otlp", str(folder / f"{part}-otlp.jsonl"), "--record", str(folder / f"{part}-record.jsonl")),
    ]


@pytest.mark.parametrize("library", ["mlflow", "otel"])
def test_every_hop_of_every_request_is_what_the_service_itself_measured(ran: Run, library: str) -> None:
    assert len(ran.measured) == REQUESTS * len(CONCURRENCY)
    for own, row in zip(ran.measured, ran.rows(library), strict=True):
        found = {hop: row[f"path_{hop}_us"] for hop in own.hops_ms}
        assert None not in found.values(), found
        assert {hop: us / 1000 for hop, us in found.items()} == pytest.approx(own.hops_ms, abs=TOLERANCE_MS)
        assert row["e2e_us"] / 1000 == pytest.approx(own.e2e_ms, abs=TOLERANCE_MS)
        assert row["ttft_us"] / 1000 == pytest.approx(own.ttft_ms, abs=TOLERANCE_MS)
        assert (row["path_unattributed_us"], row["path_retry_us"]) == (0, None)


def test_mlflow_and_otlp_give_the_same_request_the_same_facts(ran: Run) -> None:
    for one, other in zip(ran.rows("mlflow"), ran.rows("otel"), strict=True):
        assert {name: one[name] for name in SAME} == {name: other[name] for name in SAME}


def test_every_dimension_is_known(ran: Run) -> None:
    rows = ran.rows("mlflow")
    assert {row["workload"] for row in rows} == {"question", "report"}
    assert {row["tenant"] for row in rows} == {"acme", "borealis", "cobalt"}
    assert {(row["region"], row["model"]) for row in rows} == {("here", "tiny-rag")}
    assert {(row["prompt_name"], row["prompt_version"]) for row in rows} == {
        ("answer-from-passages", "1"),
        ("answer-from-passages", "2"),
    }
    assert {(row["workload"], row["output_tokens"]) for row in rows} == {("question", 24), ("report", 64)}


def test_more_requests_than_slots_wait_in_the_queue_and_longer_prompts_in_prefill(ran: Run) -> None:
    rows = ran.rows("otel")
    alone, crowded = rows[:REQUESTS], rows[-REQUESTS:]
    waits = [median(row["path_queue_us"] for row in part) for part in (alone, crowded)]
    assert waits[1] > 5 * waits[0]
    prefills = [
        min(row["path_prefill_us"] for row in rows if row["workload"] == workload)
        for workload in ("question", "report")
    ]
    assert prefills[1] > 1.5 * prefills[0]


def test_over_mlflows_otlp_endpoint_hops_agree_and_spans_keep_the_service_that_the_trace_loses(
    ran: Run, tmp_path: Path, mlflow_server: MlflowServer
) -> None:
    at, chosen = home(tmp_path / "home"), experiment(mlflow_server.url)
    headers = {"Content-Type": "application/json", "x-mlflow-experiment-id": chosen}
    for line in "".join(file.read_text() for file in ran.files).splitlines():
        answer = requests.post(
            f"{mlflow_server.url}/v1/traces", data=line, headers=headers, timeout=TIMEOUT_S
        )
        assert answer.status_code == 200, answer.text
    assert sync_mlflow(at, SyncRequest(mlflow_server.url, (chosen,))).error == ""
    found = {row["trace_id"]: row for row in requests_of(at).to_pylist()}
    for row in ran.rows("otel"):
        assert {name: found[row["trace_id"]][name] for name in SAME} == {name: row[name] for name in SAME}
    services, resources, kinds = _spans(at)
    assert services == {"client": {"rag-client"}, "gateway": {"rag-server"}, "decode": {"rag-server"}}
    assert all(len(names) == 1 for names in resources.values())
    assert kinds == {"UNSPECIFIED"}


def _spans(at: Settings) -> tuple[dict[str, set[str]], dict[str, set[str]], set[str]]:
    """Services by span name, the service that the resource names by trace, and all kinds of span."""
    ledger = Ledger(at)
    paths = ledger.manifest().paths(Kind.SPANS)
    ledger.close()
    by_name: dict[str, set[str]] = {}
    by_trace: dict[str, set[str]] = {}
    kinds: set[str] = set()
    for path in paths:
        for row in pq.read_table(path).to_pylist():
            kinds.add(row["kind"])
            by_trace.setdefault(row["trace_id"], set()).add(json.loads(row["resource"])["service.name"])
            if row["name"] in ("client", "gateway", "decode"):
                by_name.setdefault(row["name"], set()).add(row["service"])
    return by_name, by_trace, kinds
