"""Every page, light and dark, narrow and wide: drawn whole, readable, and by keyboard."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.dashboard import Dashboard, tailbudget
from tests.browser.visits import Scheme, Visit, Visitor

PAGES = {
    "overview": "/",
    "hops": "/hops",
    "traces": "/traces",
    "allocator": "/allocator",
    "data": "/data",
}

# What a reader has to tell apart from what is behind it (WCAG 2.2, 1.4.3: at least 4.5 to 1).
CONTRAST = """(element) => {
    const light = (text) => {
        const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map((v) => {
            const s = v / 255;
            return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    let behind = element;
    const see_through = (e) => /rgba\\(.*, 0\\)|transparent/.test(getComputedStyle(e).backgroundColor);
    while (behind.parentElement && see_through(behind)) behind = behind.parentElement;
    const pair = [light(getComputedStyle(element).color), light(getComputedStyle(behind).backgroundColor)];
    return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_whole_and_readable(
    demo_dashboard: Dashboard, visit: Visitor, name: str, scheme: Scheme
) -> None:
    tab = visit(demo_dashboard, PAGES[name], scheme=scheme)
    picture = tab.picture(name if scheme == "light" else f"{name}-dark")
    assert picture.stat().st_size > 20_000
    for text in tab.page.locator("[data-testid=stCaptionContainer] p, .tb-h, h4").all()[:12]:
        if text.is_visible():
            assert text.evaluate(CONTRAST) >= 4.5, text.inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_one_trace_is_whole(demo_dashboard: Dashboard, visit: Visitor, scheme: Scheme) -> None:
    tab = visit(demo_dashboard, "/traces", scheme=scheme)
    tab.page.locator(".st-key-trace-table a").first.click()
    tab.settle()
    tab.picture("trace" if scheme == "light" else "trace-dark")
    assert tab.page.locator(".js-plotly-plot .main-svg").count() > 0


@pytest.mark.parametrize("name", PAGES)
def test_a_page_does_not_scroll_sideways_on_a_narrow_screen(
    demo_dashboard: Dashboard, visit: Visitor, name: str
) -> None:
    tab = visit(demo_dashboard, PAGES[name], width=420)
    main = tab.page.locator("[data-testid=stMain]")
    assert main.evaluate("(e) => e.scrollWidth - e.clientWidth") <= 1


def test_a_page_draws_at_most_four_charts(demo_dashboard: Dashboard, visit: Visitor) -> None:
    tab = visit(demo_dashboard, "/hops")
    assert 1 <= tab.page.locator(".js-plotly-plot").count() <= 4


def test_the_dashboard_and_the_command_say_the_same(demo_dashboard: Dashboard, visit: Visitor) -> None:
    answer: dict[str, Any] = tailbudget("waterfall", home=demo_dashboard.home)
    tab = visit(demo_dashboard, "/hops")
    assert f"n = {answer['n']:,}" in tab.text()
    assert f"{answer['failed']:,} failed" in tab.text()


def test_a_hop_has_one_colour_on_every_page(demo_dashboard: Dashboard, visit: Visitor) -> None:
    overview, hops = visit(demo_dashboard, "/"), visit(demo_dashboard, "/hops")
    assert bar_colours(overview) == bar_colours(hops)


def bar_colours(tab: Visit) -> list[str]:
    """Fill colours of the first chart's bars, from the first hop to the last."""
    bars = tab.page.locator(".js-plotly-plot").first.locator(".bars .point path")
    expect(bars.first).to_be_visible()
    fills = [str(bar.evaluate("(e) => getComputedStyle(e).fill")) for bar in bars.all()]
    return [fill for fill in fills if not fill.startswith("url(")]  # a hatched bar names its own pattern


def test_pages_are_reached_by_keyboard(demo_dashboard: Dashboard, visit: Visitor) -> None:
    tab = visit(demo_dashboard, "/")
    for _ in range(25):
        tab.page.keyboard.press("Tab")
        if tab.page.evaluate("document.activeElement?.innerText?.trim()") == "Hops":
            break
    else:
        pytest.fail("the link to Hops was not reached within 25 steps")
    tab.page.keyboard.press("Enter")
    tab.settle()
    assert tab.page.url.split("?")[0].endswith("/hops")
