"""Pages asked for ahead: the same pages in the same order, and a failure only when its page is due."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from budget_model.errors import RemoteError
from budget_model.sources.mlflow.pages import Page, ahead

SECONDS = 30


def test_the_next_page_is_asked_for_while_one_is_being_used() -> None:
    asked = threading.Event()

    def source() -> Iterator[Page]:
        yield Page("1")
        asked.set()
        yield Page("2")

    pages = ahead(source())
    assert next(pages) == Page("1")
    assert asked.wait(SECONDS)
    assert list(pages) == [Page("2")]


def test_a_failure_comes_after_the_pages_before_it() -> None:
    def source() -> Iterator[Page]:
        yield Page("1")
        raise RemoteError("gone")

    pages = ahead(source())
    assert next(pages) == Page("1")
    with pytest.raises(RemoteError, match="gone"):
        next(pages)


def test_no_page_is_no_page() -> None:
    assert list(ahead(iter(()))) == []


def test_whoever_stops_early_leaves_no_thread_behind() -> None:
    pages = ahead(iter([Page("1"), Page("2"), Page("3")]))
    next(pages)
    pages.close()  # type: ignore[attr-defined]
    assert not [one for one in threading.enumerate() if one.name.startswith("mlflow-page")]
