"""Publishing to a real MLflow server: once, whole, and readable there."""

from __future__ import annotations

import itertools
import json
import uuid
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import requests

from budget_model.domain.budget import Budget, BudgetState
from budget_model.domain.budget_question import Question
from budget_model.domain.strategies import Strategy
from budget_model.errors import BudgetError, RemoteError, SettingsError
from budget_model.exports.mlflow_assessments import OVER_BUDGET
from budget_model.exports.mlflow_client import Api, ExperimentRuns
from budget_model.exports.mlflow_run import RunKind, run_record
from budget_model.queries.filters import Filter
from budget_model.services.budgets import By
from budget_model.services.import_report import Progress
from budget_model.services.importing import import_files
from budget_model.services.mlflow_publish import Following, publish_records
from budget_model.services.mlflow_publish_budget import PublishReport, PublishRequest, publish_budget
from budget_model.services.mlflow_report import SyncRequest
from budget_model.services.mlflow_server import opened_server
from budget_model.services.mlflow_sync import sync_mlflow
from budget_model.services.workspace import Workspace
from budget_model.settings import Login
from tests.mlflow_server import MlflowServer
from tests.services import mlflow_proxy
from tests.services.homes import MS, START_NS, home, requests_of, span, traces, write
from tests.services.mlflow_posting import delete, experiment, post
from tests.services.mlflow_reading import artifact, assessments, runs, values

pytestmark = pytest.mark.mlflow

NOW_US = 1_796_083_200_000_000
NUMBERS = itertools.count(200_000, 1000)
"""Where each test's traces begin: ids are unique in a server, whatever the experiment."""


@pytest.fixture
def first() -> int:
    return next(NUMBERS)


@pytest.fixture
def name() -> str:
    """An experiment of the test's own, not made yet."""
    return f"publish-{uuid.uuid4().hex}"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    opened = Workspace(home(tmp_path / "home", workers=1))
    yield opened
    opened.close()


def budget(workspace: Workspace, target_ms: float = 104, opened: int = 0) -> Budget:
    """An approved version of a budget for everything that is in the home."""
    workspace.engine.refresh()
    proposal = workspace.allocator.propose(Filter(), Question(round(target_ms * 1000), 0.9, 0.1))
    shelf, ann, bob = workspace.budgets, By("ann", NOW_US, "a start"), By("bob", NOW_US, "fine")
    version = shelf.save("chat", Filter(), proposal, Strategy.EULER, ann, opened).version
    shelf.move("chat", version, BudgetState.PROPOSED, ann)
    return shelf.move("chat", version, BudgetState.APPROVED, bob)


def imported(workspace: Workspace, folder: Path, numbers: range) -> None:
    import_files(workspace.settings, [write(folder / f"{numbers.start}.jsonl", traces(numbers))])
    workspace.engine.refresh()


def synced(workspace: Workspace, server: MlflowServer, folder: Path, numbers: range) -> str:
    chat = experiment(server.url)
    post(server.url, chat, traces(numbers), folder / "otlp.jsonl")
    report = sync_mlflow(workspace.settings, SyncRequest(server.url, (chat,)))
    assert (report.error, report.traces.new) == ("", len(numbers))
    workspace.engine.refresh()
    return chat


def published(workspace: Workspace, of: Budget, server: str, name: str, **more: Any) -> PublishReport:
    return publish_budget(workspace, of, PublishRequest(server, name, **more))


def test_publishing_twice_is_one_run_of_each_and_the_second_time_says_so(
    tmp_path: Path, workspace: Workspace, mlflow_server: MlflowServer, first: int, name: str
) -> None:
    imported(workspace, tmp_path, range(first, first + 40))
    approved = budget(workspace)
    once = published(workspace, approved, mlflow_server.url, name)
    before = runs(mlflow_server.url, name)
    again = published(workspace, approved, mlflow_server.url, name)
    assert [(run.kind, run.created) for run in once.runs] == [("budget", True), ("check", True)]
    assert [(run.kind, run.created) for run in again.runs] == [("budget", False), ("check", False)]
    assert [run.run_id for run in once.runs] == [run.run_id for run in again.runs]
    assert runs(mlflow_server.url, name) == before
    assert len(before) == 2
    assert {run["info"]["status"] for run in before} == {"FINISHED"}


def test_what_was_published_reads_back_as_it_was_measured(
    tmp_path: Path, workspace: Workspace, mlflow_server: MlflowServer, first: int, name: str
) -> None:
    imported(workspace, tmp_path, range(first, first + 70))
    approved = budget(workspace)
    report = published(workspace, approved, mlflow_server.url, name)
    found = {values(run, "tags")["tailbudget.kind"]: run for run in runs(mlflow_server.url, name)}
    assert set(found) == {"budget", "check"}

    params, metrics = values(found["check"], "params"), values(found["check"], "metrics")
    assert (params["target_ms"], params["percentile"], params["headroom"]) == ("104", "90", "0.1")
    assert params["first_request"] < params["last_request"]
    late = sum(number % 7 > 4 for number in range(first, first + 70))
    assert (metrics["n"], metrics["bad"], metrics["failed"]) == (70, late, 0)
    assert metrics["attainment"] == pytest.approx(1 - late / 70)
    assert metrics["attainment_low"] < metrics["attainment"] < metrics["attainment_high"] < 1
    assert metrics["error_budget_left"] == pytest.approx(1 - late / 7)
    assert metrics["e2e_low_ms"] <= metrics["e2e_ms"] <= metrics["e2e_high_ms"]
    assert metrics["n.decode"] == 70
    lines = values(found["budget"], "metrics")
    assert sum(ms for key, ms in lines.items() if key.startswith("line_ms.")) == pytest.approx(104)

    tags = values(found["check"], "tags")
    assert (tags["tailbudget.budget"], tags["tailbudget.version"]) == ("chat", "1")
    assert tags["tailbudget.segment"] == "all production traffic"
    ids = {run.kind: run.run_id for run in report.runs}
    assert json.loads(artifact(mlflow_server.url, ids["check"], "check.json"))["figures"]["bad"] == late
    assert f"{late} of 70 requests missed 104 ms" in artifact(mlflow_server.url, ids["check"], "check.html")
    assert json.loads(artifact(mlflow_server.url, ids["budget"], "budget.json"))["name"] == "chat"
    assert (
        report.runs[0].url == f"{mlflow_server.url}/#/experiments/{experiment_of(found)}/runs/{ids['budget']}"
    )


def experiment_of(found: dict[str, dict[str, Any]]) -> str:
    return str(found["budget"]["info"]["experiment_id"])


def test_a_check_that_changed_is_a_new_run_beside_the_old_one(
    tmp_path: Path, workspace: Workspace, mlflow_server: MlflowServer, first: int, name: str
) -> None:
    imported(workspace, tmp_path, range(first, first + 40))
    approved = budget(workspace)
    published(workspace, approved, mlflow_server.url, name)
    imported(workspace, tmp_path, range(first + 40, first + 50))
    again = published(workspace, approved, mlflow_server.url, name)
    assert [run.created for run in again.runs] == [False, True]
    kinds = sorted(values(run, "tags")["tailbudget.kind"] for run in runs(mlflow_server.url, name))
    assert kinds == ["budget", "check", "check"]


def test_a_load_test_is_a_run_of_its_own_kind_and_its_missing_hops_are_no_zeros(
    tmp_path: Path, workspace: Workspace, mlflow_server: MlflowServer, first: int, name: str
) -> None:
    imported(workspace, tmp_path, range(first, first + 40))
    approved = budget(workspace)
    file = tmp_path / "load test.csv"
    rows = [f"r{i},{'error' if i < 3 else 'ok'},10,{200 if i < 5 else 70}" for i in range(50)]
    file.write_text("\n".join(["request_id,status,prefill_ms,decode_ms", *rows]) + "\n")
    for created in (True, False):
        report = published(workspace, approved, mlflow_server.url, name, file=file)
        assert [(run.kind, run.created) for run in report.runs][1] == ("load-test", created)
    (run,) = [one for one in runs(mlflow_server.url, name) if values(one, "tags").get("tailbudget.load_test")]
    metrics = values(run, "metrics")
    assert (metrics["n"], metrics["bad"], metrics["failed"]) == (50, 5, 3)
    assert metrics["n.queue"] == 0
    assert "bar_ms.queue" not in metrics
    assert "over.queue" not in metrics


def test_without_a_request_there_is_no_check_and_it_is_said(
    tmp_path: Path, workspace: Workspace, mlflow_server: MlflowServer, first: int, name: str
) -> None:
    imported(workspace, tmp_path, range(first, first + 40))
    approved = budget(workspace)
    report = published(workspace, approved, mlflow_server.url, name, since_us=NOW_US * 2)
    assert [run.kind for run in report.runs] == ["budget"]
    assert "no check" in report.note
    assert len(runs(mlflow_server.url, name)) == 1


@pytest.mark.parametrize("state", ["draft", "proposed"])
def test_a_version_that_is_not_approved_is_not_published(
    tmp_path: Path, workspace: Workspace, mlflow_server: MlflowServer, first: int, name: str, state: str
) -> None:
    imported(workspace, tmp_path, range(first, first + 40))
    steps = 1 if state == "draft" else 2
    approved = budget(workspace)
    earlier = Budget(approved.name, approved.version, approved.content, approved.steps[:steps])
    with pytest.raises(BudgetError, match=f"is {state}: only an approved one"):
        published(workspace, earlier, mlflow_server.url, name)
    assert runs(mlflow_server.url, name) == []


def test_the_slowest_requests_over_the_target_are_marked_once_on_the_server_they_came_from(
    tmp_path: Path, workspace: Workspace, mlflow_server: MlflowServer, first: int, name: str
) -> None:
    numbers = range(first, first + 40)
    synced(workspace, mlflow_server, tmp_path, numbers)
    slow = [number for number in numbers if number % 7 == 6]
    approved = budget(workspace)
    counts = []
    for _ in range(2):
        found = published(workspace, approved, mlflow_server.url, name, assess=3).assessed
        assert found is not None
        counts.append((found.created, found.updated, found.already_there, found.gone))
    assert counts == [(3, 0, 0, 0), (0, 0, 3, 0)]
    said = {number: assessments(mlflow_server.url, f"tr-{number + 1:032x}") for number in numbers}
    marked = [number for number, all_of_it in said.items() if all_of_it]
    assert len(marked) == 3
    assert set(marked) <= set(slow)
    for number in marked:
        (one,) = said[number]
        assert one["assessment_name"] == OVER_BUDGET
        assert one["feedback"]["value"].startswith("over budget: ")
        assert one["rationale"].startswith("106.0 ms where 104 ms are the target; ")


def test_the_hop_that_is_named_is_the_one_furthest_over_its_line(
    tmp_path: Path, workspace: Workspace, mlflow_server: MlflowServer, first: int, name: str
) -> None:
    synced(workspace, mlflow_server, tmp_path, range(first, first + 40))
    chat = experiment(mlflow_server.url)
    slow = first + 500
    base_ns = START_NS + slow * 1000 * MS
    spans = [span(slow, place) for place in (0, 2, 3)]
    spans[0]["endTimeUnixNano"] = str(base_ns + 900 * MS)
    queue = span(slow, 1) | {"endTimeUnixNano": str(base_ns + 800 * MS)}
    spans[1] |= {"startTimeUnixNano": str(base_ns + 800 * MS), "endTimeUnixNano": str(base_ns + 815 * MS)}
    spans[2] |= {"startTimeUnixNano": str(base_ns + 815 * MS), "endTimeUnixNano": str(base_ns + 880 * MS)}
    approved = budget(workspace)
    post(mlflow_server.url, chat, [*spans, queue], tmp_path / "slow.jsonl")
    sync_mlflow(workspace.settings, SyncRequest(mlflow_server.url, (chat,)))
    workspace.engine.refresh()
    published(workspace, approved, mlflow_server.url, name, assess=1)
    (one,) = assessments(mlflow_server.url, f"tr-{slow + 1:032x}")
    assert one["feedback"]["value"] == "over budget: queue"
    assert "queue took 795.0 ms" in one["rationale"]


def test_marked_traces_are_read_again_by_the_next_sync_and_change_no_figure(
    tmp_path: Path, workspace: Workspace, mlflow_server: MlflowServer, first: int, name: str
) -> None:
    chat = synced(workspace, mlflow_server, tmp_path, range(first, first + 40))
    before = requests_of(workspace.settings)
    published(workspace, budget(workspace), mlflow_server.url, name, assess=3)
    report = sync_mlflow(workspace.settings, SyncRequest(mlflow_server.url, (chat,)))
    assert (report.error, report.traces.new, report.traces.updated) == ("", 0, 3)
    assert requests_of(workspace.settings) == before


def test_a_new_version_changes_what_it_said_and_adds_nothing(
    tmp_path: Path, workspace: Workspace, mlflow_server: MlflowServer, first: int, name: str
) -> None:
    numbers = range(first, first + 40)
    synced(workspace, mlflow_server, tmp_path, numbers)
    slow = [number for number in numbers if number % 7 == 6]
    for version, target_ms, counts in ((1, 105.5, (len(slow), 0)), (2, 105.2, (0, len(slow)))):
        approved = budget(workspace, target_ms, version - 1)
        found = published(workspace, approved, mlflow_server.url, name, assess=100).assessed
        assert found is not None
        assert (found.created, found.updated) == counts
    for number in slow:
        (one,) = assessments(mlflow_server.url, f"tr-{number + 1:032x}")
        assert "105.2 ms are the target" in one["rationale"]
        assert one["metadata"]["tailbudget.version"] == "2"


def test_traces_of_another_server_or_of_a_file_are_not_marked(
    tmp_path: Path, workspace: Workspace, mlflow_server: MlflowServer, first: int, name: str
) -> None:
    numbers = range(first, first + 40)
    chat = experiment(mlflow_server.url)
    post(mlflow_server.url, chat, traces(numbers), tmp_path / "otlp.jsonl")
    with mlflow_proxy.before(mlflow_server.url) as other:
        sync_mlflow(workspace.settings, SyncRequest(other.url, (chat,)))
    imported(workspace, tmp_path, range(first + 100, first + 140))
    post(mlflow_server.url, chat, traces(range(first + 100, first + 140)), tmp_path / "file.jsonl")
    found = published(workspace, budget(workspace), mlflow_server.url, name, assess=10).assessed
    assert found is not None
    assert found.found == 0
    for number in [*numbers, *range(first + 100, first + 140)]:
        assert assessments(mlflow_server.url, f"tr-{number + 1:032x}") == []


def test_a_trace_that_is_gone_from_the_server_is_counted_and_the_rest_is_marked(
    tmp_path: Path, workspace: Workspace, mlflow_server: MlflowServer, first: int, name: str
) -> None:
    numbers = range(first, first + 40)
    chat = synced(workspace, mlflow_server, tmp_path, numbers)
    gone, *kept = [number for number in numbers if number % 7 == 6]
    delete(mlflow_server.url, chat, [f"tr-{gone + 1:032x}"])
    found = published(workspace, budget(workspace, 105.5), mlflow_server.url, name, assess=10).assessed
    assert found is not None
    assert (found.created, found.gone) == (len(kept), 1)
    assert [len(assessments(mlflow_server.url, f"tr-{one + 1:032x}")) for one in kept] == [1] * len(kept)


@pytest.mark.parametrize(
    "part", ["experiments/search", "runs/create", "log-batch", "upload-artifact", "set-tag"]
)
def test_a_server_that_answers_500_is_one_sentence_and_leaves_no_half_run(
    tmp_path: Path, workspace: Workspace, mlflow_server: MlflowServer, first: int, name: str, part: str
) -> None:
    imported(workspace, tmp_path, range(first, first + 40))
    approved = budget(workspace)
    with mlflow_proxy.before(mlflow_server.url) as proxy:
        proxy.spoil(part, 0, _failing)
        with pytest.raises(RemoteError, match="answers 500") as refused:
            published(workspace, approved, proxy.url, name)
        assert "\n" not in str(refused.value)
        assert runs(mlflow_server.url, name) == []
        proxy.after = None
        assert [run.created for run in published(workspace, approved, proxy.url, name).runs] == [True, True]


def _failing(handler: mlflow_proxy.Handler) -> None:
    # An unread body would be taken for the next request on this connection.
    handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
    mlflow_proxy.internal_error(handler)


def test_a_run_that_somebody_deleted_is_published_again(
    tmp_path: Path, workspace: Workspace, mlflow_server: MlflowServer, first: int, name: str
) -> None:
    imported(workspace, tmp_path, range(first, first + 40))
    approved = budget(workspace)
    run = published(workspace, approved, mlflow_server.url, name).runs[0]
    body = {"run_id": run.run_id}
    requests.post(f"{mlflow_server.url}/api/2.0/mlflow/runs/delete", json=body, timeout=60).raise_for_status()
    again = published(workspace, approved, mlflow_server.url, name)
    assert [run.created for run in again.runs] == [True, False]


def test_two_who_publish_at_once_end_with_one_run(mlflow_server: MlflowServer, name: str) -> None:
    record = run_record(RunKind.REVIEW, "week 49", params={}, metrics={"n": 1}, tags={}, artifacts=())
    publish_records(
        Login(),
        mlflow_server.url,
        [run_record(RunKind.REVIEW, "x", params={}, metrics={}, tags={}, artifacts=())],
        name,
    )
    with ThreadPoolExecutor(4) as pool:
        tasks = [pool.submit(publish_records, Login(), mlflow_server.url, [record], name) for _ in range(4)]
        found = {task.result()[0].run_id for task in tasks}
    left = [
        run["info"]["run_id"] for run in runs(mlflow_server.url, name) if run["info"]["run_name"] == "week 49"
    ]
    assert len(left) == 1
    assert set(left) <= found


@pytest.mark.parametrize("second_ms", [1_000, 3_000])
def test_whoever_did_not_see_the_other_one_leaves_one_run_whichever_began_first(
    mlflow_server: MlflowServer, name: str, second_ms: int
) -> None:
    record = run_record(RunKind.REVIEW, "week 49", params={}, metrics={"n": 1}, tags={}, artifacts=())
    with opened_server(mlflow_server.url, Login()) as api:
        ExperimentRuns(api, name).publish(record, 2_000)
        second = ExperimentRuns(Early(api), name).publish(record, second_ms)
    (left,) = runs(mlflow_server.url, name)
    assert left["info"]["start_time"] == min(second_ms, 2_000)
    assert left["info"]["run_id"] == second.run_id
    assert second.created == (second_ms < 2_000)


class Early:
    """A server as it was before anybody else published: the first search finds nothing."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._searched = False
        self.write, self.upload = api.write, api.upload

    @property
    def base_url(self) -> str:
        return self._api.base_url

    def post(self, path: str, body: Mapping[str, Any]) -> bytes:
        if path.endswith("runs/search") and not self._searched:
            self._searched = True
            return b"{}"
        return self._api.post(path, body)


def test_a_deleted_experiment_is_said_and_not_made_again(mlflow_server: MlflowServer, name: str) -> None:
    made = requests.post(
        f"{mlflow_server.url}/api/2.0/mlflow/experiments/create", json={"name": name}, timeout=60
    ).json()
    requests.post(
        f"{mlflow_server.url}/api/2.0/mlflow/experiments/delete", json=made, timeout=60
    ).raise_for_status()
    record = run_record(RunKind.REVIEW, "week 49", params={}, metrics={}, tags={}, artifacts=())
    with pytest.raises(RemoteError, match="is deleted there"):
        publish_records(Login(), mlflow_server.url, [record], name)


def test_whoever_cancels_keeps_the_runs_until_then(
    tmp_path: Path, workspace: Workspace, mlflow_server: MlflowServer, first: int, name: str
) -> None:
    imported(workspace, tmp_path, range(first, first + 40))
    cancel = Event()

    def after_the_budget(progress: Progress) -> None:
        if progress.words.startswith("Publishing"):
            cancel.set()

    request = PublishRequest(mlflow_server.url, name, assess=3)
    report = publish_budget(workspace, budget(workspace), request, Following(after_the_budget, cancel))
    assert (report.stopped, [run.kind for run in report.runs], report.assessed) == (True, ["budget"], None)


@pytest.mark.parametrize("experiment_name", ["", "it's", "a\nb", "a\\b"])
def test_a_name_of_an_experiment_that_cannot_be_looked_for_is_refused(
    mlflow_server: MlflowServer, experiment_name: str
) -> None:
    with pytest.raises(SettingsError, match="is accepted"):
        publish_records(Login(), mlflow_server.url, [], experiment_name)
