"""A product owner's way: from a target that cannot be met to an approved budget another tool accepts."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from playwright.sync_api import Page, expect

from tests.browser.dashboard import Dashboard, tailbudget
from tests.browser.test_pages import CONTRAST
from tests.browser.visits import Scheme, Visit, Visitor


@pytest.fixture(scope="module")
def segment(demo_dashboard: Dashboard) -> str:
    """The demo's workload with most requests among those that retrieve."""
    found = tailbudget("percentiles", "--metric", "retrieval", "--by", "workload", home=demo_dashboard.home)
    rows = sorted(found["rows"], key=lambda row: -row["n"])
    return str(rows[0]["group"]["workload"])


def fill(page: Page, label: str, value: str) -> None:
    box = page.get_by_label(label, exact=True)
    box.fill(value)
    box.press("Enter")


def asked(tab: Visit) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(tab.page.url).query).items()}


def drag_to_the_left_end(tab: Visit) -> None:
    thumb = tab.page.locator(".st-key-target-slider [data-testid=stSliderThumbValue]").locator("..")
    box, track = thumb.bounding_box(), tab.page.locator(".st-key-target-slider").bounding_box()
    assert box is not None
    assert track is not None
    tab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.page.mouse.down()
    tab.page.mouse.move(track["x"] + 2, box["y"] + box["height"] / 2, steps=6)
    tab.page.mouse.up()
    tab.settle()


def test_a_product_owner_gets_from_a_target_to_an_approved_budget(
    demo_dashboard: Dashboard, visit: Visitor, segment: str, tmp_path: Path
) -> None:
    tab = visit(demo_dashboard, f"/allocator?q=0.95&workload={segment}", width=1440)
    expect(tab.page.get_by_text("of today's time.").first).to_be_visible()
    find_a_feasible_target(tab)
    lock_retrieval(tab)
    link = tab.page.url
    save_and_approve(tab)
    assert openslo_versions(tab, tmp_path) == {"openslo/v1"}

    sent = visit(demo_dashboard, link.removeprefix(demo_dashboard.url), width=1440)
    expect(sent.page.get_by_text("Locks: retrieval 400 ms")).to_be_visible()
    assert asked(sent) == asked_of(link)
    tab.click("Open this question in the Allocator", role="link")
    kept = ("target", "q", "headroom", "strategy", "locks", "workload")
    assert {name: asked(tab)[name] for name in kept} == {name: asked_of(link)[name] for name in kept}


def find_a_feasible_target(tab: Visit) -> None:
    drag_to_the_left_end(tab)
    expect(tab.page.get_by_text("Not feasible: overhead alone exceeds the target by")).to_be_visible()
    expect(tab.page.get_by_text("Cut first:")).to_be_visible()
    tab.picture("allocator-infeasible")
    infeasible = asked(tab)["target"]
    tab.click("the nearest feasible")
    tab.page.wait_for_url(lambda url: asked_of(url)["target"] != infeasible)
    expect(tab.page.get_by_text("of today's time.").first).to_be_visible()
    nearest = asked(tab)["target"]

    fill(tab.page, "Headroom (% of the target kept back)", "30")
    tab.settle()
    expect(tab.page.get_by_text("Not feasible: overhead alone")).to_be_visible()
    tab.click("Lower the headroom to")
    tab.page.wait_for_url(lambda url: float(asked_of(url)["headroom"]) < 0.3)
    expect(tab.page.get_by_text("of today's time.").first).to_be_visible()
    assert float(asked(tab)["headroom"]) < 0.3
    assert asked(tab)["target"] == nearest


def lock_retrieval(tab: Visit) -> None:
    fill(tab.page, "Target, end to end (s)", f"{4 * float(asked(tab)['target']):g}")
    tab.settle()
    tab.page.get_by_text("Locks: none").click()
    tab.settle()
    fill(tab.page, "Lock retrieval (ms)", "400")
    tab.page.wait_for_url(lambda url: asked_of(url).get("locks") == "retrieval:400")
    expect(tab.page.get_by_text("Locks: retrieval 400 ms")).to_be_visible()


def save_and_approve(tab: Visit) -> None:
    page = tab.page
    fill(page, "Budget name", "launch p95")
    fill(page, "Your name", "ada")
    fill(page, "Why", "what the launch needs")
    tab.settle()
    tab.click("Save as draft")
    expect(page.get_by_text("Saved as version 1 of launch p95, a draft.")).to_be_visible()

    tab.click("Open it to propose it", role="link")
    expect(page.get_by_text("launch p95 · version 1")).to_be_visible()
    fill(page, "Your name", "ada")
    tab.settle()
    tab.click("Propose")
    expect(page.get_by_text("waits for somebody else's approval")).to_be_visible()
    tab.click("Approve")
    expect(page.get_by_text("somebody else must approve it")).to_be_visible()
    fill(page, "Your name", "grace")
    fill(page, "Reason", "holds on last week")
    tab.settle()
    tab.click("Approve")
    expect(page.get_by_text("approved by grace", exact=False)).to_be_visible()


def openslo_versions(tab: Visit, folder: Path) -> set[str]:
    with tab.page.expect_download() as download:
        tab.page.get_by_role("button", name="OpenSLO").click()
    written = folder / download.value.suggested_filename
    download.value.save_as(written)
    documents = yaml.safe_load_all(written.read_text(encoding="utf-8"))
    return {document["apiVersion"] for document in documents}


def asked_of(link: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}


def test_the_target_moves_by_keyboard(demo_dashboard: Dashboard, visit: Visitor) -> None:
    tab = visit(demo_dashboard, "/allocator?q=0.95&target=9", width=1440)
    tab.page.locator(".st-key-target-slider input[type=range]").focus()
    for _ in range(5):
        tab.page.keyboard.press("ArrowRight")
    tab.settle()
    tab.page.wait_for_function("!location.search.includes('target=9&')")
    assert 9 < float(asked(tab)["target"]) < 10


def test_the_whole_answer_stands_on_one_screen(demo_dashboard: Dashboard, visit: Visitor) -> None:
    tab = visit(demo_dashboard, "/allocator?q=0.95&target=14", width=1440)
    for key in ("save-button", "allocator-waterfall", "token-table", "allocator-frontier", "prefill-share"):
        expect(tab.page.locator(f".st-key-{key}")).to_be_in_viewport(ratio=1)


def test_a_trade_set_by_keyboard_of_prefill_against_decode_changes_the_lines(
    demo_dashboard: Dashboard, visit: Visitor
) -> None:
    tab = visit(demo_dashboard, "/allocator?q=0.95&target=14", width=1440)
    tab.page.locator(".st-key-prefill-share input[type=range]").focus()
    for _ in range(10):
        tab.page.keyboard.press("ArrowLeft")
    tab.page.wait_for_url(lambda url: "prefill" in asked_of(url))
    expect(tab.page.get_by_text("of today's time leaves decode")).to_be_visible()
    tab.click("One factor on both again")
    tab.page.wait_for_url(lambda url: "prefill" not in asked_of(url))
    expect(tab.page.get_by_text(re.compile("^Compute (may take|must run in)"))).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_saved_budget_is_shown_whole(demo_dashboard: Dashboard, visit: Visitor, scheme: Scheme) -> None:
    tailbudget(
        "allocate", "--target", "20s", "--percentile", "90", "--save", scheme, home=demo_dashboard.home
    )
    tab = visit(demo_dashboard, f"/budgets?budget={scheme}", scheme=scheme)
    tab.picture("budgets" if scheme == "light" else "budgets-dark")
    for text in tab.page.locator("[data-testid=stCaptionContainer] p, .tb-h").all()[:12]:
        if text.is_visible():
            assert text.evaluate(CONTRAST) >= 4.5, text.inner_text()


def test_the_budgets_page_does_not_scroll_sideways_on_a_narrow_screen(
    demo_dashboard: Dashboard, visit: Visitor
) -> None:
    tailbudget(
        "allocate", "--target", "20s", "--percentile", "90", "--save", "narrow", home=demo_dashboard.home
    )
    tab = visit(demo_dashboard, "/budgets?budget=narrow", width=420)
    main = tab.page.locator("[data-testid=stMain]")
    assert main.evaluate("(e) => e.scrollWidth - e.clientWidth") <= 1
