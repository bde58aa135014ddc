"""From nothing to the slow trace, as a newcomer goes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.dashboard import Dashboard
from tests.browser.visits import Visitor


def test_a_first_visit_leads_from_the_demo_to_the_guilty_hop_to_a_slow_trace(
    serve: Callable[[Path], Dashboard], visit: Visitor, tmp_path: Path
) -> None:
    dashboard = serve(tmp_path / "home")
    tab = visit(dashboard)
    assert "See where your end-to-end p99 goes" in tab.text()
    assert "tailbudget import" in tab.text()
    tab.picture("welcome")

    tab.click("Load the demo")
    expect(tab.page.get_by_text("Where the p99 goes", exact=True)).to_be_visible(timeout=200_000)
    tab.settle()
    guilty = tab.page.locator(".st-key-guilty-hop")
    hop = guilty.locator("b").first.inner_text()

    guilty.get_by_role("link", name="Slow requests").click()
    tab.settle()
    assert f"only those where {hop} takes the largest part" in tab.text()

    tab.page.locator(".st-key-trace-table a").first.click()
    tab.settle()
    assert "request=" in tab.page.url
    expect(tab.page.get_by_text("Next slower", exact=False).first).to_be_visible()
    expect(tab.page.get_by_text("ritical path", exact=False).first).to_be_visible()
