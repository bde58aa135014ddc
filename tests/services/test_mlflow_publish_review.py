"""A weekly review on a real MLflow server: once, whole, under any name, and no run of ours comes back."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from budget_model.errors import NoDataError, RemoteError, SettingsError
from budget_model.exports.mlflow_names import name_part
from budget_model.exports.mlflow_run import RunKind, run_record
from budget_model.services.iso_week import DAY_US, parse_week
from budget_model.services.mlflow_publish import publish_records
from budget_model.services.mlflow_publish_budget import PublishReport
from budget_model.services.mlflow_publish_review import ReviewRequest, publish_review
from budget_model.services.mlflow_report import SyncRequest
from budget_model.services.mlflow_sync import sync_mlflow
from budget_model.services.workspace import Workspace
from budget_model.settings import Login
from tests.exports.budgets import HOSTILE
from tests.mlflow_server import MlflowServer
from tests.services import homes
from tests.services.mlflow_reading import artifact, runs, values
from tests.services.review_homes import NOW_US, approve, day, import_requests

WEEK = parse_week("2026-W49")


@pytest.fixture
def name() -> str:
    """An experiment of the test's own, not made yet."""
    return f"review-{uuid.uuid4().hex}"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    settings = homes.home(tmp_path / "home", workers=1)
    import_requests(settings, tmp_path, [*day(-7, 100), *day(0, 200, late=12), *day(2, 100, failed=3)])
    opened = Workspace(settings)
    yield opened
    opened.close()


def published(workspace: Workspace, uri: str, name: str, now_us: int = NOW_US) -> PublishReport:
    workspace.engine.refresh()
    return publish_review(workspace, ReviewRequest(uri, WEEK, name), now_us)


@pytest.mark.mlflow
def test_a_review_is_one_run_however_often_and_whenever_it_is_published(
    workspace: Workspace, mlflow_server: MlflowServer, name: str
) -> None:
    approve(workspace, "chat")
    once = published(workspace, mlflow_server.url, name)
    again = published(workspace, mlflow_server.url, name, NOW_US + 90 * DAY_US)
    assert [(run.kind, run.created) for run in (*once.runs, *again.runs)] == [
        ("review", True),
        ("review", False),
    ]
    assert once.runs[0].run_id == again.runs[0].run_id
    assert len(runs(mlflow_server.url, name)) == 1


@pytest.mark.mlflow
def test_what_was_published_reads_back_under_names_of_any_kind(
    workspace: Workspace, mlflow_server: MlflowServer, name: str
) -> None:
    labels = ["chat", "Chat", "a/../b", "<script>alert(1)</script>", HOSTILE.replace("\n", " ")]
    for label in labels:
        approve(workspace, label)
    (done,) = published(workspace, mlflow_server.url, name).runs
    (run,) = runs(mlflow_server.url, name)
    params, metrics, tags = (values(run, what) for what in ("params", "metrics", "tags"))
    assert (params["week"], params["zone"]) == ("2026-W49", "UTC")
    for label in labels:
        assert metrics[f"bad.{name_part(label)}"] == 15
        assert tags[f"tailbudget.version.{name_part(label)}"] == "1"
    assert tags["tailbudget.kind"] == "review"
    document = json.loads(artifact(mlflow_server.url, done.run_id, "review.json"))
    assert {one["budget"] for one in document["budgets"]} == set(labels)
    page = artifact(mlflow_server.url, done.run_id, "review.html")
    assert "</html>" in page
    assert "<script>alert" not in page


@pytest.mark.mlflow
def test_as_many_metrics_and_tags_as_there_are_budgets_fit_into_a_run(
    mlflow_server: MlflowServer, name: str
) -> None:
    metrics: dict[str, float | None] = {f"n.{i:04}": i for i in range(2_500)}
    tags = {f"tailbudget.budget.{i:04}": "x" * 5_000 for i in range(250)}
    record = run_record(RunKind.REVIEW, "many", params={}, metrics=metrics, tags=tags, artifacts=())
    publish_records(Login(), mlflow_server.url, [record], name)
    (run,) = runs(mlflow_server.url, name)
    assert len(values(run, "metrics")) == 2_500
    assert values(run, "tags").items() >= tags.items()


@pytest.mark.mlflow
def test_a_review_is_never_read_back_as_a_load_test(
    workspace: Workspace, mlflow_server: MlflowServer, name: str
) -> None:
    approve(workspace, "chat")
    published(workspace, mlflow_server.url, name)
    report = sync_mlflow(workspace.settings, SyncRequest(mlflow_server.url, (name,)))
    assert report.error == ""
    assert report.extras["runs_accepted"] == 0


@pytest.mark.parametrize(
    ("uri", "experiment", "now_us", "refusal", "words"),
    [
        ("http://127.0.0.1:9", "x", NOW_US, RemoteError, "refuses connections"),
        ("http://127.0.0.1:9", "x", WEEK.until_us - 1, NoDataError, "is not over"),
        ("http://127.0.0.1:9", "it's", NOW_US, SettingsError, "is accepted"),
        ("sqlite:///mlflow.db", "x", NOW_US, SettingsError, "through a tracking server"),
    ],
)
def test_what_cannot_be_published_is_said(
    workspace: Workspace, uri: str, experiment: str, now_us: int, refusal: type[Exception], words: str
) -> None:
    approve(workspace, "chat")
    with pytest.raises(refusal, match=words):
        published(workspace, uri, experiment, now_us)
