"""A week's review as a run: its figures, its names, and that only the week's own data change it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from budget_model.domain.budget import BudgetState
from budget_model.errors import BudgetError, NoDataError
from budget_model.exports.mlflow_names import name_part
from budget_model.exports.mlflow_run import RunRecord
from budget_model.services.closed_review import closed_review
from budget_model.services.iso_week import DAY_US, parse_week
from budget_model.services.mlflow_review_record import review_record
from budget_model.services.workspace import Workspace
from budget_model.store.budget_catalog import BudgetCatalog, By
from tests.exports.budgets import HOSTILE
from tests.services import homes
from tests.services.review_homes import DERIVED_US, NOW_US, approve, day, import_requests

WEEK = parse_week("2026-W49")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A home with 300 requests of the week, of which 12 are late and 3 failed, and a week before."""
    settings = homes.home(tmp_path / "home", workers=1)
    import_requests(settings, tmp_path, [*day(-7, 100), *day(0, 200, late=12), *day(2, 100, failed=3)])
    opened = Workspace(settings)
    yield opened
    opened.close()


def record(workspace: Workspace, now_us: int = NOW_US, only: str | None = None) -> RunRecord:
    workspace.engine.refresh()
    return review_record(closed_review(workspace.engine, workspace.budgets, WEEK, now_us, only))


def test_the_figures_of_a_budget_stand_under_its_name(workspace: Workspace) -> None:
    approve(workspace, "chat", q=0.9)
    found = record(workspace)
    assert dict(found.params) == {
        "week": "2026-W49",
        "from": "2026-11-30T00:00Z",
        "to": "2026-12-07T00:00Z",
        "zone": "UTC",
    }
    metrics = found.metrics
    assert (metrics["n.chat"], metrics["bad.chat"], metrics["failed.chat"]) == (300, 15, 3)
    assert metrics["attainment.chat"] == pytest.approx(285 / 300)
    assert metrics["attainment_low.chat"] < metrics["attainment.chat"] < metrics["attainment_high.chat"]
    assert metrics["error_budget_left.chat"] == pytest.approx(1 - 15 / 30)
    assert metrics["burn.chat"] == pytest.approx(0.5)
    assert metrics["e2e_low_ms.chat"] <= metrics["e2e_ms.chat"]
    assert metrics["e2e_n.chat"] == 297


def test_a_bound_is_there_where_there_are_enough_requests_for_it(workspace: Workspace) -> None:
    approve(workspace, "median", q=0.5)
    approve(workspace, "tail", q=0.999)
    metrics = record(workspace).metrics
    assert metrics["e2e_low_ms.median"] <= metrics["e2e_ms.median"] <= metrics["e2e_high_ms.median"]
    assert "e2e_high_ms.tail" not in metrics


def test_the_files_are_the_review_and_the_tags_name_the_versions(workspace: Workspace) -> None:
    approve(workspace, "chat")
    approve(workspace, "batch", target_ms=2000, segment=(("workload", ("chat",)),))
    found = record(workspace)
    assert found.name == "review 2026-W49: 2 budgets"
    assert found.tags["tailbudget.kind"] == "review"
    assert found.tags["tailbudget.budgets"] == "batch v1, chat v1"
    assert found.tags["tailbudget.segment.batch"] == "workload: chat"
    assert found.tags["tailbudget.decision.batch"] == "PASS"
    files = {one.path: one.content for one in found.artifacts}
    document = json.loads(files["review.json"])
    assert [one["budget"] for one in document["budgets"]] == ["batch", "chat"]
    assert document["budgets"][1]["bad"] == found.metrics["bad.chat"]
    assert "Weekly latency review 2026-W49" in files["review.html"]


def test_one_budget_alone_has_the_tags_of_its_other_runs(workspace: Workspace) -> None:
    approve(workspace, "chat")
    approve(workspace, "batch")
    found = record(workspace, only="chat")
    assert found.name == "review 2026-W49: chat v1"
    assert (found.tags["tailbudget.budget"], found.tags["tailbudget.version"]) == ("chat", "1")
    assert {key.rpartition(".")[2] for key in found.metrics} == {"chat"}


def test_neither_time_nor_later_traffic_changes_the_record(workspace: Workspace, tmp_path: Path) -> None:
    approve(workspace, "chat")
    approve(workspace, "quiet", segment=(("tenant", ("nobody",)),))
    before = record(workspace)
    import_requests(workspace.settings, tmp_path, day(9, 50, late=50), first=1000)
    assert record(workspace, NOW_US + 400 * DAY_US) == before
    assert record(workspace, NOW_US + 400 * DAY_US).identity == before.identity


def test_requests_of_the_week_that_come_later_make_another_record(
    workspace: Workspace, tmp_path: Path
) -> None:
    approve(workspace, "chat")
    before = record(workspace)
    import_requests(workspace.settings, tmp_path, day(4, 50), first=1000)
    assert record(workspace).identity != before.identity


def test_a_budget_without_requests_has_no_figure_but_how_many(workspace: Workspace) -> None:
    approve(workspace, "chat")
    approve(workspace, "quiet", segment=(("tenant", ("nobody",)),))
    found = record(workspace)
    quiet = {key: value for key, value in found.metrics.items() if key.endswith(".quiet")}
    assert quiet == {"n.quiet": 0, "e2e_n.quiet": 0}
    assert found.tags["tailbudget.decision.quiet"] == "no requests"
    assert "No request of this segment up to 7 Dec 2026 00:00 UTC is stored" in found.artifacts[1].content


@pytest.mark.parametrize("name", [HOSTILE.replace("\n", " "), "<script>alert(1)</script>", "a/../b", "Chat"])
def test_names_are_text_in_files_and_safe_in_keys(workspace: Workspace, name: str) -> None:
    approve(workspace, name)
    found = record(workspace)
    keys = [*found.metrics, *found.tags, *found.params]
    assert all(re.fullmatch(r"[a-z0-9_.-]+", key) for key in keys)
    assert found.metrics[f"n.{name_part(name)}"] == 300
    assert found.tags[f"tailbudget.budget.{name_part(name)}"].startswith(name.split("\n")[0])
    assert "<script>alert" not in found.artifacts[1].content
    assert name not in found.tags["mlflow.note.content"]


def test_a_week_that_is_not_over_is_not_published(workspace: Workspace) -> None:
    approve(workspace, "chat")
    with pytest.raises(NoDataError, match="2026-W49 is not over before 7 Dec 2026 00:00 UTC"):
        record(workspace, WEEK.until_us - 1)
    assert record(workspace, WEEK.until_us).metrics["n.chat"] == 300


def test_without_a_request_in_the_week_there_is_nothing_to_publish(workspace: Workspace) -> None:
    approve(workspace, "chat", segment=(("tenant", ("nobody",)),))
    with pytest.raises(NoDataError, match="no request of an approved budget"):
        record(workspace)


def test_without_an_approved_budget_it_says_how_to_get_one(workspace: Workspace) -> None:
    with pytest.raises(NoDataError, match="tailbudget allocate"):
        record(workspace)


def test_a_budget_that_is_not_approved_or_not_there_is_refused(workspace: Workspace) -> None:
    approve(workspace, "chat")
    BudgetCatalog(workspace.ledger).move("chat", 1, BudgetState.RETIRED, By("bob", DERIVED_US, ""))
    with pytest.raises(BudgetError, match="is retired: only an approved one"):
        record(workspace, only="chat")
    with pytest.raises(BudgetError, match="there is no budget 'nobody'"):
        record(workspace, only="nobody")
