"""What a prompt version changed in its text: unfolded by hand, in the address, and readable."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.dashboard import Dashboard
from tests.browser.test_pages import CONTRAST
from tests.browser.visits import Scheme, Visitor

NEWEST = "/hops?by=prompt&version=chat-assistant%404"


def test_unfolding_the_texts_is_in_the_address_and_so_is_another_version(
    demo_dashboard: Dashboard, visit: Visitor
) -> None:
    tab = visit(demo_dashboard, "/hops?by=prompt")
    folded = tab.page.locator(".st-key-prompt-text summary")
    folded.click()
    expect(tab.page.locator(".tb-text .added")).to_contain_text("close with a summary")
    assert "version=chat-assistant%404" in tab.page.url
    tab.page.locator(".st-key-prompt-versions").get_by_role("link", name="beside 6").click()
    expect(tab.page.locator(".tb-text .added")).to_contain_text("give its passage as [n]")
    assert "version=rag-answer%407" in tab.page.url
    tab.settle()
    folded.click()
    expect(tab.page.locator(".tb-text")).to_have_count(0)
    expect(tab.page).to_have_url(re.compile(r"by=prompt$"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_came_and_what_went_can_be_read(
    demo_dashboard: Dashboard, visit: Visitor, scheme: Scheme
) -> None:
    tab = visit(demo_dashboard, NEWEST, scheme=scheme)
    marked = tab.page.locator(".tb-text mark").all()
    assert len(marked) >= 2
    for text in [*marked, *tab.page.locator(".tb-text .removed, .tb-text .added").all()]:
        assert text.evaluate(CONTRAST) >= 4.5, text.inner_text()


def test_long_lines_of_a_prompt_are_folded_on_a_narrow_screen(
    demo_dashboard: Dashboard, visit: Visitor
) -> None:
    tab = visit(demo_dashboard, NEWEST, width=420)
    for place in ("[data-testid=stMain]", ".tb-text"):
        assert tab.page.locator(place).evaluate("(e) => e.scrollWidth - e.clientWidth") <= 1
