"""Both ways of reading, against real servers and their real databases."""

from __future__ import annotations

import base64
import json
import math
import sqlite3
import time
import uuid
from pathlib import Path

import msgspec
import pytest
import requests

from budget_model.errors import RemoteError
from budget_model.normalise import mlflow_trace
from budget_model.records.mlflow import History, MlflowStore, TraceDocument
from budget_model.records.raw import RawRecord, ReadOptions
from budget_model.records.spans import Span
from budget_model.sources.mlflow.connect import open_store
from budget_model.sources.mlflow.schema import KNOWN_VERSIONS
from tests.mlflow_server import MlflowServer, serving
from tests.postgres import NOT_FOUND, cluster, find_binaries
from tests.services.mlflow_logging import log, logged
from tests.services.mlflow_prompting import link, prompt

pytestmark = pytest.mark.mlflow
MS, START_MS = 1_000_000, 1_796_083_200_000


def send(server: MlflowServer, name: str, traces: int) -> str:
    """Send traces of two spans over OTLP, one a second; the answer is the experiment's id."""
    created = requests.post(
        f"{server.url}/api/2.0/mlflow/experiments/create", json={"name": name}, timeout=30
    )
    experiment = str(created.json()["experiment_id"])
    spans = [span for number in range(traces) for span in _spans(number)]
    resource = {"attributes": [{"key": "tenant.id", "value": {"stringValue": "acme"}}]}
    body = {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": spans}]}]}
    headers = {"x-mlflow-experiment-id": experiment}
    assert requests.post(f"{server.url}/v1/traces", json=body, headers=headers, timeout=60).ok
    return experiment


def _spans(number: int) -> list[dict[str, object]]:
    start_ns = (START_MS + 1000 * number) * MS
    trace_id, (root, child) = uuid.uuid4().hex, (uuid.uuid4().hex[:16] for _ in range(2))
    times = {"startTimeUnixNano": str(start_ns), "endTimeUnixNano": str(start_ns + 400 * MS)}
    inner = {"startTimeUnixNano": str(start_ns + 1), "endTimeUnixNano": str(start_ns + 333_333_333)}
    return [
        {"traceId": trace_id, "spanId": root, "name": "POST /chat", "kind": 2, **times},
        {"traceId": trace_id, "spanId": child, "parentSpanId": root, "name": "decode", "kind": 1, **inner},
    ]


def every(store: MlflowStore, experiment: str, since_ms: int = 0) -> list[TraceDocument]:
    return [one for heads in store.heads([experiment], since_ms) for one in store.documents(heads)]


def spans_of(documents: list[TraceDocument]) -> list[tuple[object, ...]]:
    """What the spans say, whatever the way they came."""
    found = []
    for document in documents:
        for span in mlflow_trace.normalise(RawRecord("x", document.line), ReadOptions()):
            assert isinstance(span, Span)
            found.append((span.trace_id, span.span_id, span.parent_id, span.name, span.start_ns, span.end_ns,
                          span.status, span.attributes.get("mlflow.trace_id"), span.resource))  # fmt: skip
    return sorted(found, key=str)


def put_file(server: MlflowServer, experiment: str, *, with_file: bool = True) -> str:
    """A trace whose one span lies in a file, as clients write it that the server takes no spans from."""
    number = uuid.uuid4().hex
    location = {"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": experiment}}
    info = {"trace_id": f"tr-{number}", "trace_location": location, "request_time": "2026-12-01T00:05:00Z"}
    body = {"trace": {"trace_info": info | {"execution_duration": "0.4s", "state": "OK"}}}
    assert requests.post(f"{server.url}/api/3.0/mlflow/traces", json=body, timeout=60).ok
    times = {
        "start_time_unix_nano": (START_MS + 300_000) * MS,
        "end_time_unix_nano": (START_MS + 300_400) * MS,
    }
    ids = {"trace_id": base64.b64encode(bytes.fromhex(number)).decode(), "span_id": "AAAAAAAAAAE="}
    span = {**ids, "parent_span_id": None, "name": "decode", **times, "attributes": {"model": '"m"'}}
    if with_file:
        path = f"{experiment}/traces/tr-{number}/artifacts/traces.json"
        address = f"{server.url}/api/2.0/mlflow-artifacts/artifacts/{path}"
        assert requests.put(address, data=json.dumps({"spans": [span]}), timeout=60).ok
    return f"tr-{number}"


def test_a_trace_whose_spans_lie_in_a_file_is_read_and_holds_up_no_other(mlflow_server: MlflowServer) -> None:
    experiment = send(mlflow_server, f"files-{uuid.uuid4().hex}", 2)
    filed = put_file(mlflow_server, experiment)
    store = open_store(mlflow_server.url)
    documents = every(store, experiment)
    store.close()
    assert len(documents) == 3
    assert (
        sorted(str(name) for _, _, _, name, *_ in spans_of(documents)) == ["POST /chat"] * 2 + ["decode"] * 3
    )
    [found] = spans_of([document for document in documents if document.head.trace_id == filed])
    times = (START_MS + 300_000) * MS, (START_MS + 300_400) * MS
    assert found[:6] == (filed.removeprefix("tr-"), "0000000000000001", "", "decode", *times)


def test_a_trace_without_spans_anywhere_holds_up_no_other(mlflow_server: MlflowServer) -> None:
    experiment = send(mlflow_server, f"files-{uuid.uuid4().hex}", 1)
    put_file(mlflow_server, experiment, with_file=False)
    store = open_store(mlflow_server.url)
    spans = [msgspec.json.decode(document.line)["spans"] for document in every(store, experiment)]
    store.close()
    assert sorted(map(len, spans)) == [0, 2]


def prompts_told(uri: str, experiment: str, trace_id: str) -> object:
    """The prompts of one trace as its tag names them."""
    store = open_store(uri)
    heads = {head.trace_id: head for page in store.heads([experiment], 0) for head in page}
    store.close()
    return json.loads(json.loads(heads[trace_id].info)["tags"]["mlflow.linkedPrompts"])


def runs_of(store: MlflowStore, experiment: str) -> list[tuple[str, object]]:
    """What the runs say; NaN is unequal to itself, so metrics are compared as they are written."""
    return [
        (str(sorted(run.metrics.items())), msgspec.structs.replace(run, metrics={}))
        for page in store.runs([experiment])
        for run in page
    ]


@pytest.fixture
def name() -> str:
    return f"reading-{uuid.uuid4().hex[:8]}"


def test_both_ways_give_the_same_spans_to_the_nanosecond(mlflow_server: MlflowServer, name: str) -> None:
    experiment = send(mlflow_server, name, 30)
    by_api, direct = open_store(mlflow_server.url), open_store(mlflow_server.database_url)
    try:
        assert name in {one.name for one in by_api.experiments()} & {one.name for one in direct.experiments()}
        found = spans_of(every(by_api, experiment))
        assert len(found) == 60
        assert spans_of(every(direct, experiment)) == found
        assert (found[0][5], found[0][8]) != (None, {})
        later = START_MS + 20_000
        assert len(every(by_api, experiment, later)) == len(every(direct, experiment, later)) == 10
    finally:
        by_api.close()
        direct.close()


def test_what_was_deleted_is_not_found_again(mlflow_server: MlflowServer, name: str) -> None:
    experiment = send(mlflow_server, name, 3)
    for uri in (mlflow_server.url, mlflow_server.database_url):
        store = open_store(uri)
        [heads] = store.heads([experiment], 0)
        body = {"experiment_id": experiment, "request_ids": [heads[0].trace_id]}
        requests.post(f"{mlflow_server.url}/api/2.0/mlflow/traces/delete-traces", json=body, timeout=30)
        assert len(store.heads_of([head.trace_id for head in heads])) == len(heads) - 1
        assert len(list(store.documents(heads))) == len(heads) - 1
        store.close()


def test_a_database_is_only_read_while_its_server_writes(mlflow_server: MlflowServer, name: str) -> None:
    path = Path(mlflow_server.database_url.removeprefix("sqlite:///"))
    store = open_store(mlflow_server.url, mlflow_server.database_url)
    assert (store.origin.kind, store.origin.pages, store.origin.note) == ("sqlite", mlflow_server.url, "")
    experiment = send(mlflow_server, name, 5)
    time.sleep(0.5)
    before = path.read_bytes()
    assert len(every(store, experiment)) == 5
    assert path.read_bytes() == before
    with pytest.raises(RemoteError, match="readonly database"):
        list(store._database.rows("INSERT INTO trace_tags VALUES ('a', 'b', 'c') RETURNING 1"))  # type: ignore[union-attr]
    store.close()


@pytest.fixture
def foreign(tmp_path: Path) -> str:
    with sqlite3.connect(tmp_path / "mlflow.db") as database:
        database.execute("CREATE TABLE alembic_version (version_num TEXT)")
        database.execute("INSERT INTO alembic_version VALUES ('0123456789ab')")
    database.close()
    return f"sqlite:///{tmp_path}/mlflow.db"


def test_a_schema_nobody_knows_is_left_to_the_api_with_a_word_why(
    mlflow_server: MlflowServer, foreign: str
) -> None:
    store = open_store(mlflow_server.url, foreign)
    assert store.origin.kind == "api"
    assert "its schema 0123456789ab is none that is known" in store.origin.note
    assert store.experiments()
    store.close()
    with pytest.raises(RemoteError, match="give the address of its server"):
        open_store(foreign)


def test_postgresql_is_read_directly_too_and_cannot_be_written(tmp_path: Path, name: str) -> None:
    binaries = find_binaries()
    if binaries is None:
        pytest.skip(NOT_FOUND)
    with cluster(binaries) as url:
        driver = url.replace("postgresql://", "postgresql+psycopg://")
        with serving(tmp_path, driver) as server:
            experiment = send(server, name, 12)
            by_api, direct = open_store(server.url), open_store(url)
            try:
                assert direct.origin.kind == "postgresql"
                assert spans_of(every(direct, experiment)) == spans_of(every(by_api, experiment))
                metrics: dict[str, float | list[float]] = {"a": math.nan, "b": -math.inf, "c": [1.0, 2.0]}
                [run_id] = log(server, logged(experiment, "one", metrics, params={"p": "1"}))
                assert runs_of(direct, experiment) == runs_of(by_api, experiment) != []
                assert direct.history(run_id, "c", 1) == History([(0, 1.0)], True)
                prompted = prompt(server.url, "one", "two")
                [[head, *_]] = direct.heads([experiment], 0)
                link(server.url, head.trace_id, (prompted, "2"), (prompted, "1"))
                assert [one.text for page in by_api.prompts() for one in page] == ["two", "one"]
                assert [one.text for page in direct.prompts() for one in page] == ["one", "two"]
                told = [prompts_told(uri, experiment, head.trace_id) for uri in (url, server.url)]
                assert told[0] == told[1] == [{"name": prompted, "version": one} for one in ("1", "2")]
                with pytest.raises(RemoteError, match="read-only transaction"):
                    list(direct._database.rows("SELECT nextval('experiments_experiment_id_seq')"))  # type: ignore[union-attr]
            finally:
                by_api.close()
                direct.close()


def test_the_installed_release_is_one_that_is_known(mlflow_server: MlflowServer) -> None:
    with sqlite3.connect(mlflow_server.database_url.removeprefix("sqlite:///")) as database:
        [(version,)] = database.execute("SELECT version_num FROM alembic_version").fetchall()
    database.close()
    assert version in KNOWN_VERSIONS
