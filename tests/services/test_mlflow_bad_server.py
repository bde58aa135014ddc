"""A server that misbehaves in the middle: one sentence, whole batches, and the next sync goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from budget_model.services import mlflow_batch, mlflow_scan
from budget_model.services.mlflow_report import SyncRequest
from budget_model.services.mlflow_sync import sync_mlflow
from tests.mlflow_server import MlflowServer
from tests.services import mlflow_proxy
from tests.services.homes import home, requests_of, stored_spans, traces
from tests.services.mlflow_posting import experiment, post

pytestmark = pytest.mark.mlflow

FIRST = {"500": 50_000, "reset": 51_000, "redirect": 52_000, "half": 53_000, "nan": 54_000}


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mlflow_batch, "MOST_TRACES", 10)
    monkeypatch.setattr(mlflow_scan, "HEADS_AT_ONCE", 10)


@pytest.mark.parametrize(
    ("how", "misbehave"),
    [
        ("500", mlflow_proxy.internal_error),
        ("reset", mlflow_proxy.reset),
        ("redirect", mlflow_proxy.redirect),
        ("half", mlflow_proxy.half),
        ("nan", mlflow_proxy.not_a_number),
    ],
)
def test_batches_before_are_kept_whole_and_the_next_sync_goes_on(
    tmp_path: Path, mlflow_server: MlflowServer, how: str, misbehave: mlflow_proxy.Misbehave
) -> None:
    chat = experiment(mlflow_server.url)
    post(mlflow_server.url, chat, traces(range(FIRST[how], FIRST[how] + 35)), tmp_path / "otlp")
    at = home(tmp_path / "home")
    with mlflow_proxy.before(mlflow_server.url) as proxy:
        request = SyncRequest(proxy.url, (chat,))
        proxy.spoil("batchGet?", 2, misbehave)
        failed = sync_mlflow(at, request)
        assert proxy.url in failed.error
        assert "\n" not in failed.error
        assert (requests_of(at).num_rows, stored_spans(at)) == (20, 80)
        assert failed.traces.new == 20
        proxy.spoil("", 0, misbehave)
        proxy.after = None
        done = sync_mlflow(at, request)
    assert (done.error, done.traces.new, done.traces.unchanged) == ("", 15, 20)
    assert (requests_of(at).num_rows, stored_spans(at)) == (35, 140)


def test_a_page_token_that_leads_nowhere_ends_the_sync(tmp_path: Path, mlflow_server: MlflowServer) -> None:
    chat = experiment(mlflow_server.url)
    post(mlflow_server.url, chat, traces(range(55_000, 55_015)), tmp_path / "otlp")
    at = home(tmp_path / "home")
    with mlflow_proxy.before(mlflow_server.url) as proxy:
        proxy.spoil("traces/search", 0, mlflow_proxy.page_again)
        failed = sync_mlflow(at, SyncRequest(proxy.url, (chat,)))
    assert proxy.url in failed.error
    assert requests_of(at).num_rows in (0, 10, 15)
    assert stored_spans(at) == 4 * requests_of(at).num_rows


def test_nobody_there_is_one_sentence(tmp_path: Path) -> None:
    at = home(tmp_path / "home")
    report = sync_mlflow(at, SyncRequest("http://127.0.0.1:9"))
    assert "http://127.0.0.1:9" in report.error
    assert "\n" not in report.error
