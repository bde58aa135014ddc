"""A hop changed in the table of span names, as people do it: by mouse and keyboard, and taken back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Position, expect

from bench.traces import write_traces
from tests.browser.dashboard import Dashboard, tailbudget
from tests.browser.visits import Visit, Visitor

TRACES = 200
FIRST_ROW: Position = {"x": 60, "y": 52}
"""Inside the first cell of the first row: the table is drawn on a canvas, so there is no element to name."""

COLUMNS_TO_HOP = 4
KEY_PAUSE_MS = 200
"""The canvas says nowhere which cell has the cursor, so a person's pace stands in for waiting."""


def bars_ms(home: Path) -> dict[str, float]:
    answer: dict[str, Any] = tailbudget("waterfall", home=home)
    return {bar["hop"]: bar["ms"] for bar in answer["bars"]}


def choose_hop_of_first_row(tab: Visit, hop: str) -> None:
    tab.page.locator(".st-key-mapping .dvn-scroller").click(position=FIRST_ROW)
    for _ in range(COLUMNS_TO_HOP):
        tab.page.wait_for_timeout(KEY_PAUSE_MS)
        tab.page.keyboard.press("ArrowRight")
    tab.page.wait_for_timeout(KEY_PAUSE_MS)
    tab.page.keyboard.press("Enter")
    expect(tab.page.locator("#portal .glide-select")).to_be_visible()
    tab.page.keyboard.type(hop)
    expect(tab.page.locator("#portal [role=option]")).to_have_count(1)
    tab.page.keyboard.press("Enter")


def rebuilt(tab: Visit) -> None:
    made = tab.page.locator(".st-key-job-outcome").get_by_text(f"Made {TRACES} requests again")
    expect(made).to_be_visible(timeout=60_000)
    tab.settle()
    tab.click("Dismiss")


def test_a_hop_is_changed_by_keyboard_rebuilt_and_undone(
    serve: Callable[[Path], Dashboard], visit: Visitor, tmp_path: Path
) -> None:
    home, file = tmp_path / "home", tmp_path / "traces.jsonl"
    write_traces(file, TRACES, seed=7)
    tailbudget("import", file, home=home)
    before = bars_ms(home)
    tab = visit(serve(home), "/data")
    choose_hop_of_first_row(tab, "client")
    tab.page.get_by_role("button", name="Rebuild with 1 change").click()
    rebuilt(tab)
    changed = bars_ms(home)
    assert changed != before
    assert changed["client"] > before.get("client", 0.0)

    tab.click("Undo the last change")
    rebuilt(tab)
    assert bars_ms(home) == before
