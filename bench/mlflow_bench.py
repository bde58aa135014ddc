"""Reading traces of MLflow beside ``mlflow.search_traces``: the same server, the same store, one run.

A real server with an SQLite store is filled over OTLP, and read first with one worker and then with
the four that MLflow starts by itself. Each way reads every trace with its spans, ``mlflow.search_traces``
over HTTP as well; ``tailbudget sync`` also makes requests of them and stores those. Reader and server
share the machine, so beside the wall time stands the processor time of each: what the server needs for
its answers is the least that any reader over HTTP takes.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import requests

from bench.measure import tree_cpu_s
from bench.query_bench import timed_ms
from bench.table import show
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
_PEER = "mlflow.search_traces, over HTTP"


@dataclass(frozen=True, slots=True)
class Cost:
    """What reading took: wall time, and the processor time of the reader and of the server."""

    wall_ms: float
    reader_s: float
    server_s: float


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


def measure(server: MlflowServer, experiment: str, folder: Path, traces: int, rounds: int) -> dict[str, Cost]:
    """The quickest round of each way; the ways take turns, so that a busy moment meets them all."""
    os.environ.update({"MLFLOW_TRACKING_URI": server.url, "MLFLOW_DISABLE_TELEMETRY": "true"})
    search(experiment, traces)  # the first call also loads the client
    gc.freeze()  # what the client loaded is not to be looked through by every reader's collections
    ways: dict[str, Callable[[int], None]] = {
        _PEER: lambda _: search(experiment, traces),
        "read over HTTP": lambda _: read(server.url, experiment, traces),
        "read from SQLite": lambda _: read(server.database_url, experiment, traces),
        "sync over HTTP": lambda i: sync(folder / f"http-{i}", server.url, traces),
        "sync from SQLite": lambda i: sync(folder / f"direct-{i}", server.database_url, traces),
    }
    found: dict[str, list[Cost]] = {name: [] for name in ways}
    for i in range(rounds):
        for name, way in ways.items():
            found[name].append(_cost(server, lambda i=i, way=way: way(i)))  # type: ignore[misc]
    return {name: min(costs, key=lambda cost: cost.wall_ms) for name, costs in found.items()}


def _cost(server: MlflowServer, work: Callable[[], None]) -> Cost:
    before = _used_s(), tree_cpu_s(server.pid) or 0.0
    wall_ms = timed_ms(work)
    return Cost(wall_ms, _used_s() - before[0], (tree_cpu_s(server.pid) or 0.0) - before[1])


def _used_s() -> float:
    """Processor time of this process and of the children it waited for."""
    return sum(os.times()[:4])


def print_table(found: dict[str, Cost], traces: int, title: str) -> None:
    """A row a way, as a ratio to MLflow's own client."""
    base = found[_PEER].wall_ms
    rows = [
        (
            name,
            f"{cost.wall_ms:,.0f}",
            f"{traces / cost.wall_ms * 1000:,.0f}",
            f"{base / cost.wall_ms:,.1f} x",
            f"{cost.reader_s:,.2f}",
            f"{cost.server_s:,.2f}",
        )
        for name, cost in found.items()
    ]
    show(title, ("", "ms", "traces/s", "times as fast", "reader, CPU s", "server, CPU s"), [rows])


def main() -> None:
    """Fill a store, read it in every way from servers of one and of four workers, print a table each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 4])
    options = parser.parse_args()
    what = f"{options.traces:,} traces x {SPANS_PER_TRACE} spans, best of {options.rounds} rounds"
    with tempfile.TemporaryDirectory(prefix="tailbudget-mlflow-") as name:
        folder, experiment = Path(name), ""
        for workers in options.workers:
            with serving(folder, options=("--workers", str(workers))) as server:
                experiment = experiment or fill(server, options.traces)
                homes = folder / f"homes-{workers}"
                found = measure(server, experiment, homes, options.traces, options.rounds)
            print_table(
                found, options.traces, f"{what}, mlflow server --workers {workers}, {os.cpu_count()} cores"
            )


if __name__ == "__main__":
    main()
