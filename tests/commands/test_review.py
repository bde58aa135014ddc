from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from budget_model.services.workspace import Workspace
from tests.commands.homes import answer, exit_code, run
from tests.services import homes
from tests.services.review_homes import approve, day, import_requests


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("review")
    settings = homes.home(folder / "home", workers=1)
    import_requests(settings, folder, day(0, 200, late=5, failed=5))
    workspace = Workspace(settings)
    approve(workspace, "chat [bold]")
    workspace.close()
    return folder / "home"


def test_html_and_json_are_written_by_the_files_name(home: Path, tmp_path: Path) -> None:
    for name in ("week.html", "week.JSON"):
        done = run(home, "review", "--week", "2026-W49", "--out", str(tmp_path / name))
        assert done.exit_code == 0, done.output
    assert (tmp_path / "week.html").read_text().startswith("<!DOCTYPE html>")
    assert json.loads((tmp_path / "week.JSON").read_text())["budgets"][0]["bad"] == 10


def test_the_terminal_says_the_same_in_a_line_a_budget(home: Path) -> None:
    said = run(home, "review", "--week", "2026-W49").stdout
    assert "chat [bold] version 1 (500 ms at p90): PASS: the budget is kept; error budget 50.0 % left" in said


def test_a_week_without_traffic_is_an_answer(home: Path) -> None:
    (one,) = answer(home, "review", "--week", "2026-W10")["budgets"]
    assert (one["n"], one["decision"], one["error_budget_left"], one["burn"]) == (0, None, None, None)
    assert "No requests in this week" in one["notes"][0]


def test_an_empty_home_says_how_to_get_a_budget(tmp_path: Path) -> None:
    assert "tailbudget allocate" in run(tmp_path, "review", "--week", "2026-W49").stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--out", "week.pdf"), "print it"),
        (("--out", "week.txt"), "neither .html nor .json"),
        (("--week", "2026-W60"), "2026-W49"),
        (("--out", "/nowhere/at/all/week.html"), "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: Sequence[str],
    said: str,
) -> None:
    assert exit_code(monkeypatch, home, "review", *options) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert said in line
