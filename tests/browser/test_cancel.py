"""An import stopped from the page: nothing of it stays, and the same file goes in afterwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from bench.traces import write_traces
from tests.browser.dashboard import Dashboard, tailbudget
from tests.browser.small_log import write_log
from tests.browser.visits import Visitor

TRACES = 30_000
"""Enough that the import is still at work when the button is reached."""


def files_of(home: Path) -> set[str]:
    """Everything in the home but the ledger, which notes more than imports."""
    found = {str(path.relative_to(home)) for path in home.rglob("*")}
    return {name for name in found if not name.startswith("ledger.db")}


def test_a_cancelled_import_leaves_nothing_behind(
    serve: Callable[[Path], Dashboard], visit: Visitor, tmp_path: Path
) -> None:
    home, file = tmp_path / "home", tmp_path / "traces.jsonl"
    tailbudget("import", write_log(tmp_path / "good.csv", "acme", 400), home=home)
    write_traces(file, TRACES, seed=7)
    before = files_of(home)
    tab = visit(serve(home), "/data")
    tab.page.locator("input[type=file]").first.set_input_files(file)
    tab.settle()
    tab.page.get_by_role("button", name="Import", exact=True).click()
    expect(tab.page.locator(".st-key-job-progress").get_by_text("a second")).to_be_visible(timeout=60_000)
    tab.page.get_by_role("button", name="Cancel").click()

    outcome = tab.page.locator(".st-key-job-outcome")
    expect(outcome.get_by_text("Cancelled. Nothing of it was kept.")).to_be_visible(timeout=60_000)
    tab.settle()
    assert files_of(home) == before
    assert tailbudget("percentiles", home=home)["rows"][0]["n"] == 400
    assert tailbudget("doctor", home=home)
