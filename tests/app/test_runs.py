"""Load-test runs on the Data page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from budget_model.services.mlflow_report import SyncRequest
from budget_model.services.mlflow_sync import sync_mlflow
from budget_model.services.run_files import import_runs
from budget_model.settings import load_settings
from budget_model.views import runs
from tests.app.conftest import Open
from tests.app.homes import HOSTILE
from tests.app.test_pages import words
from tests.imported import DATA
from tests.services.mlflow_fake import ADDRESS, FakeMlflow
from tests.services.runs import run

TABLE = DATA / "mlflow_runs" / "search_runs.csv"


def test_without_runs_the_page_says_how_to_bring_some(open_page: Open) -> None:
    at = open_page("data")
    assert not at.exception
    assert "No runs yet" in words(at)
    assert any("tailbudget runs import" in code.value for code in at.code)


def test_a_run_stands_in_the_table_with_its_figures_and_what_is_missing(open_page: Open, home: Path) -> None:
    import_runs(load_settings(home, {}), TABLE)
    said = words(open_page("data"))
    assert "3 runs, 0 in progress, 0 deleted" in said
    assert "hardware 3, token budget 3" in said
    row = said[said.index("chat-c2<") :].partition("</tr>")[0]
    cells = [re.sub(r"<[^>]+>", " ", cell).strip() for cell in re.findall(r'<td class="r">(.*?)</td>', row)]
    assert [re.sub(r"\s+", " ", cell) for cell in cells] == [
        *("–", "–", "2"),
        *("104 p50 55.7, n = 190", "15.8 p50 7.31, n = 5,230", "472 p50 262, n = 190"),
        *("7.21 10 of 200 failed", "206"),
    ]


def test_a_run_links_to_its_page_and_its_texts_are_text(open_page: Open, home: Path) -> None:
    server = FakeMlflow()
    for number, label in enumerate(HOSTILE, 1):
        one = run(number, name=label, params={"model": label}, tags={"mlflow.parentRunId": f"{label}/"})
        server.runs[one.run_id] = one
    server.runs["x"] = run(9, run_id="x", metrics={HOSTILE[0]: 1.0}, name=HOSTILE[0])
    sync_mlflow(load_settings(home, {"TAILBUDGET_WORKERS": "1"}), SyncRequest(ADDRESS), opened=server.open)
    at = open_page("data")
    assert not at.exception
    said = words(at)
    assert f'href="{ADDRESS}/#/experiments/1/runs/{run(1).run_id}"' in said
    assert "<script>" not in said
    assert "Refused runs" in str([one.label for one in at.expander])


def test_many_runs_are_a_click_away(open_page: Open, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "SHOWN", 1)
    import_runs(load_settings(home, {}), TABLE)
    at = open_page("data")
    assert "chat-c8" not in words(at)
    at.toggle(key="all-runs").set_value(True).run()
    assert "chat-c8" in words(at)
