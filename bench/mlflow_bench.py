"""Reading traces of MLflow beside ``mlflow.search_traces``: the same server, the same store, one run.

A real server with an SQLite store is filled over OTLP. Each way reads every trace with its spans;
``tailbudget sync`` also makes requests of them and stores those.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

import requests
from rich.console import Console
from rich.table import Table

from bench.query_bench import timed_ms
from budget_model.services.mlflow_report import SyncRequest
from budget_model.services.mlflow_sync import sync_mlflow
from budget_model.settings import load_settings
from budget_model.sources.mlflow.connect import open_store
from tests.mlflow_server import MlflowServer, serving

SPANS_PER_TRACE = 5
_START_NS = 1_796_083_200_000_000_000
_MS = 1_000_000
_STAGES = (("retrieval", 10, 200), ("queue", 200, 250), ("prefill", 250, 400), ("decode", 400, 880))
_ATTRIBUTES = {
    "app.step": "",
    "app.version": "2026.12-",
    "http.route": "/v1/chat/",
    "peer.service": "svc-",
    "server.address": "10.0.0.1/",
    "thread.name": "worker-",
    "input.value": "What does the handbook say about leave taken in the first year of work? ",
    "output.value": "It says that leave is granted in proportion to the months that were worked. ",
}
_AT_ONCE = 100


def fill(server: MlflowServer, traces: int) -> str:
    """Send ``traces`` traces of five spans; the answer is the experiment's id."""
    body = {"name": "bench"}
    created = requests.post(f"{server.url}/api/2.0/mlflow/experiments/create", json=body, timeout=60)
    experiment = str(created.json()["experiment_id"])
    rng, headers = random.Random(20261204), {"x-mlflow-experiment-id": experiment}
    for first in range(0, traces, _AT_ONCE):
        spans = [span for i in range(first, min(traces, first + _AT_ONCE)) for span in _trace(i, rng)]
        resource = {"attributes": [_text("service.name", "api"), _text("tenant.id", f"tenant-{first % 7}")]}
        export = {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": spans}]}]}
        requests.post(f"{server.url}/v1/traces", json=export, headers=headers, timeout=120).raise_for_status()
    return experiment


def _trace(number: int, rng: random.Random) -> list[dict[str, object]]:
    trace_id, root = f"{rng.getrandbits(128):032x}", f"{rng.getrandbits(64):016x}"
    start_ns = _START_NS + number * 1000 * _MS
    spans = [_span(trace_id, root, "", "POST /chat", start_ns, (0, 900))]
    for name, begin, end in _STAGES:
        spans.append(_span(trace_id, f"{rng.getrandbits(64):016x}", root, name, start_ns, (begin, end)))
    return spans


def _span(
    trace_id: str, span_id: str, parent_id: str, name: str, start_ns: int, between_ms: tuple[int, int]
) -> dict[str, object]:
    begin, end = (str(start_ns + ms * _MS) for ms in between_ms)
    attributes = [_text(key, f"{value}{name}") for key, value in _ATTRIBUTES.items()]
    times = {"startTimeUnixNano": begin, "endTimeUnixNano": end}
    ids = {"traceId": trace_id, "spanId": span_id, "parentSpanId": parent_id}
    return {**ids, **times, "name": name, "kind": 2, "attributes": attributes, "status": {"code": 1}}


def _text(key: str, value: str) -> dict[str, object]:
    return {"key": key, "value": {"stringValue": value}}


def read(uri: str, experiment: str, traces: int) -> None:
    """Read every trace with its spans."""
    store = open_store(uri)
    documents = [one for heads in store.heads([experiment], 0) for one in store.documents(heads)]
    store.close()
    _check(len(documents), traces)


def search(experiment: str, traces: int) -> None:
    """What MLflow's own client offers."""
    import mlflow

    _check(len(mlflow.search_traces(locations=[experiment], max_results=traces)), traces)


def sync(folder: Path, uri: str, traces: int) -> None:
    """From the source to stored requests."""
    report = sync_mlflow(load_settings(folder, {}), SyncRequest(uri, ("bench",)))
    _check(report.traces.new, traces)


def _check(found: int, traces: int) -> None:
    if found != traces:
        raise SystemExit(f"{found} of {traces} traces were read, so the time means nothing")


def measure(server: MlflowServer, folder: Path, traces: int) -> dict[str, float]:
    """Milliseconds of each way; the least of three for those that take less than a second."""
    os.environ.update({"MLFLOW_TRACKING_URI": server.url, "MLFLOW_DISABLE_TELEMETRY": "true"})
    experiment = fill(server, traces)
    search(experiment, traces)  # the first call also loads the client
    ways: dict[str, tuple[int, Callable[[int], None]]] = {
        "mlflow.search_traces": (1, lambda _: search(experiment, traces)),
        "read over HTTP": (1, lambda _: read(server.url, experiment, traces)),
        "read from SQLite": (3, lambda _: read(server.database_url, experiment, traces)),
        "sync over HTTP": (1, lambda _: sync(folder / "http", server.url, traces)),
        "sync from SQLite": (3, lambda i: sync(folder / f"direct-{i}", server.database_url, traces)),
    }
    return {
        name: min(timed_ms(lambda i=i, way=way: way(i)) for i in range(times))  # type: ignore[misc]
        for name, (times, way) in ways.items()
    }


def print_table(found: dict[str, float], traces: int) -> None:
    """A row a way, as a ratio to MLflow's own client."""
    table = Table(title=f"{traces:,} traces x {SPANS_PER_TRACE} spans of one MLflow server")
    for column in ("", "ms", "traces/s", "times as fast"):
        table.add_column(column, justify="left" if not column else "right")
    base = found["mlflow.search_traces"]
    for name, ms in found.items():
        table.add_row(name, f"{ms:,.0f}", f"{traces / ms * 1000:,.0f}", f"{base / ms:,.1f} x")
    Console(width=100).print(table)


def main() -> None:
    """Start a server, fill it, read it in every way, print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=5_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tailbudget-mlflow-") as folder, serving(Path(folder)) as server:
        print_table(measure(server, Path(folder), options.traces), options.traces)


if __name__ == "__main__":
    main()
