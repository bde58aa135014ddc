"""What an address holds that a page cannot use is said on the page, and the rest is used."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.conftest import Open
from tests.app.homes import import_into, request_log
from tests.app.test_allocator import save
from tests.app.test_pages import words

MANY = "9" * 5000


@pytest.fixture
def log_home(home: Path, tmp_path: Path) -> Path:
    import_into(home, request_log(tmp_path / "log.jsonl", ("acme", "globex"), each=200))
    return home


@pytest.mark.parametrize(
    ("page", "query", "said"),
    [
        ("hops", {"metric": "<b>x</b>"}, "is not one of the choices here"),
        ("hops", {"by": "shoe size"}, "is not one of the choices here"),
        ("hops", {"q": "abc"}, "is not one of the choices here"),
        ("traces", {"order": "biggest"}, "is not one of the choices here"),
        ("traces", {"offset": MANY}, "is not a whole number of at most 9 digits"),
        ("traces", {"offset": "-1"}, "is not a whole number of at most 9 digits"),
        ("allocator", {"q": "0.95", "target": "1.5", "beside": "x"}, "is not one of the choices here"),
        ("allocator", {"q": "0.95", "target": "1.5", "rank": "x"}, "is not one of the choices here"),
        ("allocator", {"q": "0.95", "target": "1.5", "try": "1,1:0.5:8"}, "is there a second time"),
        (
            "allocator",
            {"q": "0.95", "target": "1.5", "budget": "chat", "version": "²"},
            "is not a whole number",
        ),
    ],
)
def test_it_is_said(open_page: Open, log_home: Path, page: str, query: dict[str, str], said: str) -> None:
    at = open_page(page, **query)
    assert not at.exception
    assert any(said in warning.value for warning in at.warning)
    assert "<b>x" not in "".join(warning.value for warning in at.warning)


@pytest.mark.parametrize("version", ["²", MANY, "abc", "-1"])
def test_a_version_that_is_no_number_is_said_and_the_newest_is_shown(
    open_page: Open, log_home: Path, version: str
) -> None:
    save(open_page("allocator", target="1.5", q="0.95"))
    at = open_page("budgets", budget="chat", version=version)
    assert not at.exception
    assert any("is not a whole number" in warning.value for warning in at.warning)
    assert "chat · version 1" in words(at)


def test_what_can_be_used_is_used_without_a_word(open_page: Open, log_home: Path) -> None:
    at = open_page("hops", q="0.95", by="tenant", metric="queue")
    assert not at.exception
    assert not at.warning
