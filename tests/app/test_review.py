from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from budget_model.services import clock
from budget_model.services.iso_week import DAY_US
from budget_model.services.mlflow_publish_budget import PublishReport
from budget_model.services.workspace import Workspace
from budget_model.views import jobs
from tests.app.conftest import Open
from tests.app.homes import HOSTILE
from tests.app.test_bring_in import finished
from tests.app.test_pages import words
from tests.mlflow_server import MlflowServer
from tests.services import homes
from tests.services.mlflow_reading import artifact
from tests.services.review_homes import MONDAY_US, approve, day, import_requests

WEEK = "2026-W49"


@pytest.fixture
def log_home(home: Path, tmp_path: Path) -> Path:
    import_requests(homes.home(home, workers=1), tmp_path, [*day(-7, 100), *day(0, 100, late=4, failed=2)])
    return home


@pytest.fixture
def approved_home(log_home: Path) -> Path:
    workspace = Workspace(homes.home(log_home, workers=1))
    for name in ("chat", HOSTILE[0], HOSTILE[1]):
        approve(workspace, name)
    workspace.close()
    return log_home


def test_an_empty_home_is_welcomed(open_page: Open) -> None:
    at = open_page("review")
    assert not at.exception
    assert "Load the demo" in [button.label for button in at.button]


def test_without_an_approved_budget_the_page_says_what_to_do(open_page: Open, log_home: Path) -> None:
    at = open_page("review")
    assert not at.exception
    assert "No budget is approved" in words(at)


@pytest.mark.parametrize(("days", "shown"), [(0, "2026-W48"), (6, "2026-W48"), (7, "2026-W49")])
def test_the_last_full_week_is_shown_unless_another_is_asked_for(
    open_page: Open, approved_home: Path, monkeypatch: pytest.MonkeyPatch, days: int, shown: str
) -> None:
    monkeypatch.setattr(clock, "now_us", lambda: MONDAY_US + days * DAY_US)
    at = open_page("review", budget="chat")
    picker = at.selectbox(key="choose-week")
    assert picker.options[0].startswith("2026-W49: Mon 30 Nov")
    assert picker.value == shown
    other = "2026-W49" if shown == "2026-W48" else "2026-W48"
    picker.select(other).run()
    assert at.query_params["week"] in (other, [other])


def test_a_week_that_began_with_the_traffic_is_shown_though_it_is_not_over(
    open_page: Open, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_requests(homes.home(home, workers=1), tmp_path, day(0, 100))
    monkeypatch.setattr(clock, "now_us", lambda: MONDAY_US + DAY_US)
    assert open_page("review").selectbox(key="choose-week").value == "2026-W49"


def test_a_week_is_drawn_and_another_can_be_picked(open_page: Open, approved_home: Path) -> None:
    at = open_page("review", budget="chat")
    assert "6 of 100 (failed: 2)" in words(at)
    assert len(at.get("plotly_chart")) == 2
    picker = at.selectbox(key="choose-week")
    assert picker.options[0].startswith("2026-W49: Mon 30 Nov")
    picker.select("2026-W48").run()
    assert at.query_params["week"] in ("2026-W48", ["2026-W48"])
    assert "0 of 100 (failed: 0)" in words(at)


def test_a_link_to_a_quiet_week_says_that_it_is_quiet(open_page: Open, approved_home: Path) -> None:
    shown = words(open_page("review", week="2026-W20", budget="chat"))
    assert "No requests in this week" in shown


def test_a_link_to_no_week_is_told_and_the_newest_is_shown(open_page: Open, approved_home: Path) -> None:
    at = open_page("review", week="<b>soon</b>")
    assert not at.exception
    assert "is no week" in at.warning[0].value
    assert "<b>soon" not in words(at)
    assert "6 of 100 (failed: 2)" in words(at)


@pytest.mark.parametrize("week", ["0001-W01", "9999-W52"])
def test_a_link_to_a_week_that_cannot_be_computed_is_told(
    open_page: Open, approved_home: Path, week: str
) -> None:
    at = open_page("review", week=week)
    assert not at.exception
    assert "of the years 1971 to 9998" in at.warning[0].value


def test_names_of_budgets_are_text(open_page: Open, approved_home: Path) -> None:
    at = open_page("review", week=WEEK, budget=HOSTILE[0])
    assert not at.exception
    assert "<script>alert" not in words(at)
    assert "&lt;script&gt;alert(1)&lt;/script&gt; · version 1" in words(at)


def test_the_page_can_be_downloaded(open_page: Open, approved_home: Path) -> None:
    (button,) = open_page("review", week=WEEK).get("download_button")
    assert button.proto.label == "Download to print"


def test_a_week_that_is_not_over_cannot_be_published_and_says_from_when_on(
    open_page: Open, approved_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now_us", lambda: MONDAY_US + DAY_US)
    at = open_page("review", week=WEEK)
    assert at.button(key="publish").disabled
    assert "from 7 Dec 2026 00:00 UTC on" in words(at)


def test_a_server_that_is_away_is_said_on_the_page(open_page: Open, approved_home: Path) -> None:
    at = published(open_page("review", week=WEEK), "http://127.0.0.1:9")
    assert not at.exception
    assert "refuses connections" in words(at)
    at.button(key="publish-dismiss").click().run()
    assert "refuses connections" not in words(at)


def test_an_address_that_cannot_be_used_is_a_sentence(open_page: Open, approved_home: Path) -> None:
    at = open_page("review", week=WEEK)
    at.text_input(key="publish-to").set_value("http://ann:s3cret@mlflow.example")
    at = at.button(key="publish").click().run()
    assert jobs.jobs().current is None
    (said,) = [error.value for error in at.error]
    assert "leave the credentials out" in said
    assert "s3cret" not in words(at)


@pytest.mark.mlflow
def test_what_was_published_is_shown_with_a_link_to_it_in_mlflow(
    open_page: Open, approved_home: Path, mlflow_server: MlflowServer
) -> None:
    at = open_page("review", week=WEEK)
    for said in ("created", "already there"):
        at = published(at, mlflow_server.url)
        report = finished().answer
        assert isinstance(report, PublishReport)
        (run,) = report.runs
        assert not at.exception
        assert f"review {WEEK}: 3 budgets, {said}" in words(at)
        assert f'href="{run.url}"' in words(at)
        at = at.button(key="publish-dismiss").click().run()
    assert "Weekly latency review 2026-W49" in artifact(mlflow_server.url, run.run_id, "review.html")


def published(at: AppTest, to: str) -> AppTest:
    at.text_input(key="publish-to").set_value(to)
    at.button(key="publish").click().run()
    finished()
    return at.run()


def test_a_link_to_a_budget_that_is_not_reviewed_is_told(open_page: Open, approved_home: Path) -> None:
    at = open_page("review", week=WEEK, budget="nope")
    assert not at.exception
    assert any("budget=nope is not one of the choices" in warning.value for warning in at.warning)
