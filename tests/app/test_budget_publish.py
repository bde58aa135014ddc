"""Publishing from the Budgets page: offered for what is approved, and what came of it is shown."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from streamlit.testing.v1 import AppTest

from budget_model.domain.budget import BudgetState
from budget_model.domain.budget_question import Question
from budget_model.domain.strategies import Strategy
from budget_model.queries.filters import Filter
from budget_model.services.budgets import By
from budget_model.services.mlflow_publish_budget import PublishReport
from budget_model.services.workspace import Workspace
from budget_model.settings import load_settings
from budget_model.store.mlflow_catalog import MlflowCatalog
from budget_model.views import jobs
from tests.app.conftest import Open
from tests.app.homes import HOSTILE, import_into, request_log
from tests.app.test_allocator import on_page
from tests.app.test_bring_in import finished
from tests.app.test_pages import words
from tests.mlflow_server import MlflowServer
from tests.services.mlflow_reading import artifact

ANN, BOB = By("ann", 1_796_083_200_000_000, ""), By("bob", 1_796_083_200_000_000, "")


@pytest.fixture
def workspace(home: Path, tmp_path: Path) -> Iterator[Workspace]:
    """A home with requests in it."""
    import_into(home, request_log(tmp_path / "log.jsonl", ("acme", "globex"), each=200))
    opened = Workspace(load_settings(home, {"TAILBUDGET_WORKERS": "1"}))
    yield opened
    opened.close()


def save(workspace: Workspace, name: str, *steps: BudgetState) -> None:
    proposal = workspace.allocator.propose(Filter(), Question(1_500_000, 0.95, 0.1))
    workspace.budgets.save(name, Filter(), proposal, Strategy.EULER, ANN, 0)
    for state in steps:
        workspace.budgets.move(name, 1, state, BOB if state is BudgetState.APPROVED else ANN)


def approve(workspace: Workspace, name: str = "chat") -> str:
    save(workspace, name, BudgetState.PROPOSED, BudgetState.APPROVED)
    return name


def offered(at: AppTest) -> bool:
    return "publish" in [button.key for button in at.button]


def publish(at: AppTest, to: str, assess: int = 0) -> AppTest:
    at.text_input(key="publish-to").set_value(to)
    at.number_input(key="publish-assess").set_value(assess)
    return at.button(key="publish").click().run()


def test_only_an_approved_version_can_be_published(open_page: Open, workspace: Workspace) -> None:
    save(workspace, "draft")
    save(workspace, "waits", BudgetState.PROPOSED)
    approve(workspace)
    found = {name: offered(open_page("budgets", budget=name)) for name in ("draft", "waits", "chat")}
    assert found == {"draft": False, "waits": False, "chat": True}


def test_servers_that_were_synced_are_proposed_and_databases_are_not(
    open_page: Open, workspace: Workspace
) -> None:
    catalog = MlflowCatalog(workspace.ledger)
    for address in ("sqlite:////srv/mlflow.db", "http://mlflow.example:5000", "https://other.example"):
        catalog.add(address)
    at = open_page("budgets", budget=approve(workspace))
    assert at.text_input(key="publish-to").value == "http://mlflow.example:5000"
    pills = at.pills(key="publish-known")
    assert len(pills.options) == 2
    pills.set_value("https://other.example").run()
    assert at.text_input(key="publish-to").value == "https://other.example"


@pytest.mark.parametrize(
    ("to", "words_of_it"),
    [
        ("http://ann:s3cret@mlflow.example", "leave the credentials out"),
        ("sqlite:////srv/mlflow.db", "through a tracking server"),
        ("mlflow", "is accepted"),
    ],
)
def test_an_address_that_cannot_be_used_is_a_sentence(
    open_page: Open, workspace: Workspace, to: str, words_of_it: str
) -> None:
    at = publish(open_page("budgets", budget=approve(workspace)), to)
    assert not at.exception
    (said,) = [error.value for error in at.error]
    assert words_of_it in said.replace("\\", "")
    assert "s3cret" not in said
    assert jobs.jobs().current is None


def test_a_server_that_is_away_is_said_on_the_page(open_page: Open, workspace: Workspace) -> None:
    at = publish(open_page("budgets", budget=approve(workspace)), "http://127.0.0.1:9")
    finished()
    at = at.run()
    assert not at.exception
    assert "refuses connections" in words(at)
    at.button(key="publish-dismiss").click().run()
    assert "refuses connections" not in words(at)


@pytest.mark.mlflow
def test_what_was_published_is_shown_with_a_link_to_it_in_mlflow(
    open_page: Open, workspace: Workspace, mlflow_server: MlflowServer
) -> None:
    name = approve(workspace, f"chat-{uuid.uuid4().hex[:8]}")
    at = open_page("budgets", budget=name)
    for said in ("created", "already there"):
        at = publish(at, mlflow_server.url, assess=3)
        report = finished().answer
        assert isinstance(report, PublishReport)
        at = at.run()
        assert not at.exception
        shown = words(at)
        assert f"{name} v1, {said}" in shown
        assert all(f'href="{run.url}"' in shown for run in report.runs)
        assert "no request over the target was synced from this server" in shown
        elsewhere = on_page(at, "data")
        assert not elsewhere.exception
        assert f"{name} v1, {said}" in words(elsewhere)
        at = on_page(elsewhere, "budgets", budget=name)
        at = at.button(key="publish-dismiss").click().run()


@pytest.mark.mlflow
@pytest.mark.parametrize("label", HOSTILE)
def test_names_are_text_in_what_was_published(
    open_page: Open, workspace: Workspace, mlflow_server: MlflowServer, label: str
) -> None:
    at = publish(open_page("budgets", budget=approve(workspace, label)), mlflow_server.url)
    report = finished().answer
    assert isinstance(report, PublishReport)
    at = at.run()
    assert not at.exception
    assert "<script>alert" not in words(at)
    for run, path in zip(report.runs, ("budget.html", "check.html"), strict=True):
        page = artifact(mlflow_server.url, run.run_id, path)
        assert "<script" not in page
        assert "</html>" in page


def test_other_work_is_named_and_publishing_waits_for_it(open_page: Open, workspace: Workspace) -> None:
    name, release = approve(workspace), Event()
    jobs.jobs().start("Importing *log*", lambda job: release.wait(60))
    at = open_page("budgets", budget=name)
    assert "Importing \\*log\\* is at work" in words(at)
    assert at.button(key="publish").disabled
    release.set()
    finished()
    at = at.run()
    assert "is at work" not in words(at)
    assert not at.button(key="publish").disabled
