"""What a page shows is in its address, for whoever opens it and however they move on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.dashboard import Dashboard, tailbudget
from tests.browser.small_log import write_log
from tests.browser.visits import Visit, Visitor


@pytest.fixture
def two_tenants(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    logs = [write_log(tmp_path / f"{name}.csv", name, n) for name, n in (("acme", 400), ("globex", 700))]
    tailbudget("import", *logs, home=home)
    return home


def query_of(tab: Visit) -> dict[str, list[str]]:
    return parse_qs(urlsplit(tab.page.url).query)


def assert_shows_acme_at_p95(tab: Visit) -> None:
    assert query_of(tab) == {"tenant": ["acme"], "q": ["0.95"]}
    expect(tab.page.get_by_text("Tenant: acme")).to_be_visible()
    expect(tab.page.locator(".st-key-navigation")).to_be_visible()
    # Rank 380 of 400 requests of 1000, 1001, .. ms.
    expect(tab.page.get_by_text("A request at the p95: 1.38 s", exact=False)).to_be_visible()
    assert "n = 400" in tab.text()


def test_a_link_with_filters_works_as_the_first_request_to_a_fresh_server(
    serve: Callable[[Path], Dashboard], visit: Visitor, two_tenants: Path
) -> None:
    tab = visit(serve(two_tenants), "/hops?tenant=acme&q=0.95")
    assert_shows_acme_at_p95(tab)
    tab.page.reload()
    assert_shows_acme_at_p95(tab.settle())

    tab.page.locator(".st-key-navigation").get_by_role("link", name="Overview").click()
    tab.settle()
    assert query_of(tab)["tenant"] == ["acme"]
    expect(tab.page.get_by_text("400 ok", exact=False).first).to_be_visible()

    tab.page.go_back()
    assert_shows_acme_at_p95(tab.settle())


def test_a_value_the_data_does_not_have_stays_in_the_filter_and_is_said_to_match_nothing(
    serve: Callable[[Path], Dashboard], visit: Visitor, two_tenants: Path
) -> None:
    stranger = "<script>alert(1)</script>[x](http://x.example)"
    tab = visit(serve(two_tenants), f"/?tenant={quote(stranger)}")
    assert query_of(tab)["tenant"] == [stranger]
    assert "No request has tenant" in tab.text()
    assert tab.page.locator("a[href^='http://x.example']").count() == 0


def test_an_address_that_cannot_be_read_says_so_and_shows_everything(
    serve: Callable[[Path], Dashboard], visit: Visitor, two_tenants: Path
) -> None:
    tab = visit(serve(two_tenants), "/?since=yesterday-ish")
    assert "cannot be used" in tab.text()
    assert "1,100" in tab.text()
