"""The weekly review in a real browser: the page, its download, and the download on its own and on paper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import DEMO_REQUESTS
from tests.browser.dashboard import Dashboard, start_dashboard, tailbudget
from tests.browser.visits import Scheme, Visitor


@pytest.fixture(scope="module")
def approved(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A demo of its own with exactly one approved budget: a review tells of every one there is."""
    home = tmp_path_factory.mktemp("review-home")
    tailbudget("demo", "--requests", str(DEMO_REQUESTS), home=home)
    tailbudget("allocate", "--target", "14s", "--percentile", "95", "--save", "all-p95", home=home)
    tailbudget("budgets", "propose", "all-p95", "--version", "1", "--as", "ann", home=home)
    tailbudget("budgets", "approve", "all-p95", "--version", "1", "--as", "bob", home=home)
    dashboard = start_dashboard(home, tmp_path_factory.mktemp("review-log") / "serve.log")
    yield dashboard
    dashboard.stop()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 900)])
def test_the_review_is_drawn_and_explains_the_budget_left(
    approved: Dashboard, visit: Visitor, scheme: Scheme, width: int
) -> None:
    tab = visit(approved, "/review", scheme=scheme, width=width)
    expect(tab.page.get_by_text("all-p95 · version 1")).to_be_visible()
    expect(tab.page.locator(".js-plotly-plot")).to_have_count(2)
    tab.page.get_by_text("How the error budget left is computed").click()
    expect(tab.page.get_by_text("Allowed bad = (1 - 0.95) x")).to_be_visible()
    tab.picture(f"review-{scheme}")


def test_the_download_opens_alone_asks_nobody_and_prints_on_one_page(
    approved: Dashboard, visit: Visitor, browser: Browser, tmp_path: Path
) -> None:
    tab = visit(approved, "/review", width=1440)
    with tab.page.expect_download() as caught:
        tab.page.get_by_role("button", name="Download to print").click()
    file = tmp_path / caught.value.suggested_filename
    caught.value.save_as(file)
    assert file.name.startswith("latency-review-20")
    alone = browser.new_page(java_script_enabled=False)
    asked: list[str] = []
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto(file.as_uri())
    expect(alone.get_by_text("Allowed bad = (1 - 0.95) x")).to_be_visible()
    assert asked == [file.as_uri()]
    paper = alone.pdf(prefer_css_page_size=True)
    assert paper.count(b"/Type /Page\n") == 1
    alone.close()
