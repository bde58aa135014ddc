"""The command and several people work on one home at the same time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.dashboard import Dashboard, tailbudget
from tests.browser.small_log import write_log
from tests.browser.visits import Visitor


def test_an_import_by_command_is_announced_and_shown_with_one_click(
    serve: Callable[[Path], Dashboard], visit: Visitor, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    tailbudget("import", write_log(tmp_path / "first.csv", "acme", 400), home=home)
    tab = visit(serve(home))
    assert "400 ok" in tab.text()

    answer = tailbudget("import", write_log(tmp_path / "second.csv", "globex", 123), home=home)
    assert answer["totals"]["accepted"] == 123
    expect(tab.page.get_by_text("New data has been imported.")).to_be_visible(timeout=30_000)
    assert "400 ok" in tab.text()

    tab.click("Show it")
    expect(tab.page.get_by_text("523 ok", exact=False).first).to_be_visible()
    expect(tab.page.get_by_text("New data has been imported.")).to_have_count(0)


def test_five_people_at_once_each_see_their_own_figures(
    serve: Callable[[Path], Dashboard], visit: Visitor, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    tenants = {f"tenant-{number}": 400 + 11 * number for number in range(5)}
    tailbudget("import", *(write_log(tmp_path / f"{t}.csv", t, n) for t, n in tenants.items()), home=home)
    dashboard = serve(home)
    tabs = {tenant: visit(dashboard, wait=False) for tenant in tenants}
    for tenant, tab in tabs.items():
        tab.page.goto(f"{tab.base}/?tenant={tenant}", wait_until="commit")
    for tenant, tab in tabs.items():
        tab.settle()
        expect(tab.page.get_by_text(f"{tenants[tenant]} ok", exact=False).first).to_be_visible()
        others = [n for other, n in tenants.items() if other != tenant]
        assert not any(f"{n} ok" in tab.text() for n in others)
