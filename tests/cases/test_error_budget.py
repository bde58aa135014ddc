"""Error budgets as other tools got them wrong: quiet days, two figures for one thing, no explanation."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from budget_model.domain.error_budget import ErrorBudget
from budget_model.services.budget_formula import sentences
from budget_model.services.iso_week import parse_week
from budget_model.services.review_json import review_json
from budget_model.services.weekly_review import weekly_review
from budget_model.services.workspace import Workspace
from tests.app.conftest import Open, home, open_page
from tests.app.test_pages import words
from tests.commands.homes import answer, run
from tests.services import homes
from tests.services.review_homes import NOW_US, approve, day, h02_requests, import_requests

__all__ = ["home", "open_page"]  # fixtures

H02 = Path(__file__).parents[1] / "data" / "cases" / "H02-vllm-bench-failures.json"
WEEK = "2026-W49"
LEFT = r"(overspent by [\d.]+ %|[\d.]+ % left)"


@pytest.fixture
def h02_home(home: Path, tmp_path: Path) -> Path:
    """H02's ten requests, of which 3 are late and 3 failed, under 500 ms at 90 %."""
    settings = homes.home(home, workers=1)
    import_requests(settings, tmp_path, list(h02_requests(H02)))
    workspace = Workspace(settings)
    approve(workspace, target_ms=500, q=0.9)
    workspace.close()
    return home


def last_point(at: AppTest, title: str) -> float:
    """The last value of the chart whose axis is called so."""
    for chart in at.get("plotly_chart"):
        figure = json.loads(chart.proto.spec)
        if figure["layout"]["yaxis"]["title"]["text"] == title:
            values = [value for value in figure["data"][0]["y"] if value is not None]
            return float(values[-1])
    raise AssertionError(f"no chart called {title}")


def test_the_budget_left_is_one_figure_on_tile_chart_review_and_check(
    h02_home: Path, open_page: Open, tmp_path: Path
) -> None:
    for name in ("review.html", "review.json"):
        done = run(h02_home, "review", "--week", WEEK, "--out", str(tmp_path / name))
        assert done.exit_code == 0, done.output
    run(h02_home, "check", "chat", "--summary", str(tmp_path / "check.md"))
    checked = json.loads(run(h02_home, "check", "chat", "--json").stdout)
    written = json.loads((tmp_path / "review.json").read_text())["budgets"][0]
    tile = open_page("budgets")
    page = open_page("review", week=WEEK)
    figures = [
        checked["error_budget_left"],
        written["error_budget_left"],
        written["days"][-1]["error_budget_left"],
        last_point(page, "error budget left (%)") / 100,
    ]
    assert figures == [pytest.approx(-5)] * 4
    document = (tmp_path / "review.html").read_text()
    said = {
        "tile": re.findall(rf"Error budget: {LEFT}", words(tile)),
        "page": re.findall(rf"<dt>Error budget</dt><dd>{LEFT}</dd>", words(page)),
        "document": re.findall(rf"<th>Error budget</th><td>{LEFT}</td>", document),
        "summary": re.findall(rf"Error budget: {LEFT}", (tmp_path / "check.md").read_text()),
    }
    assert said == {name: ["overspent by 500.0 %"] for name in said}
    assert (written["n"], written["bad"], written["failed"]) == (10, 6, 3)


def test_quiet_days_leave_burn_and_budget_finite_and_unchanged(tmp_path: Path) -> None:
    settings = homes.home(tmp_path / "home", workers=1)
    import_requests(settings, tmp_path, day(0, 100, late=3, failed=1))
    workspace = Workspace(settings)
    approve(workspace)
    found = review_json(weekly_review(workspace.engine, workspace.budgets, parse_week(WEEK), NOW_US))
    workspace.close()
    (one,) = found["budgets"]
    assert [d["note"] for d in one["days"]] == ["n = 100", *["no requests"] * 6]
    assert [d["error_budget_left"] for d in one["days"]] == [pytest.approx(0.6)] * 7
    assert (one["burn"], one["error_budget_left"]) == (pytest.approx(0.4), pytest.approx(0.6))
    assert all(math.isfinite(number) for number in numbers(found))


def numbers(value: Any) -> list[float]:
    """All numbers anywhere inside."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for part in value for number in numbers(part)]
    return [value] if isinstance(value, int | float) else []


FORMULA = [
    "Allowed bad = (1 - 0.9) x 10 requests = 1.",
    "Bad = 6 (3 slow + 3 failed); slow is longer than 500 ms.",
    "Left = 1 - 6 / 1 = -500.0 %, which is overspent.",
]


@pytest.mark.parametrize("page", ["budgets", "review"])
def test_the_formula_with_the_views_numbers_is_one_click_away(
    h02_home: Path, open_page: Open, page: str
) -> None:
    at = open_page(page, **({"week": WEEK} if page == "review" else {}))
    assert not at.exception
    (expander,) = [e for e in at.expander if e.label == "How the error budget left is computed"]
    said = "\n".join(element.value for element in expander.markdown)
    assert [line for line in FORMULA if line not in said] == []


def test_the_document_and_its_json_carry_the_formula(h02_home: Path, tmp_path: Path) -> None:
    file = tmp_path / "review.html"
    written = answer(h02_home, "review", "--week", WEEK, "--out", str(file))
    assert written["budgets"][0]["formula"][1:] == FORMULA
    folded = re.findall(r"<details.*?</details>", file.read_text())
    assert [line for line in FORMULA if line not in folded[0]] == []


def test_the_formula_of_many_requests_reads_as_it_is_computed() -> None:
    assert sentences(ErrorBudget(0.99, 12_345, 45), failed=5, target_us=500_000)[1:] == (
        "Allowed bad = (1 - 0.99) x 12,345 requests = 123.45.",
        "Bad = 45 (40 slow + 5 failed); slow is longer than 500 ms.",
        "Left = 1 - 45 / 123.45 = 63.5 %.",
    )
