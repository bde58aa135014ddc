"""Answers that come in pages, each naming the next by a token."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import msgspec

from budget_model.errors import RemoteError
from budget_model.records.rejects import excerpt, why_not_json


class Page(msgspec.Struct):
    """What every page has."""

    next_page_token: str = ""


Answer = TypeVar("Answer", bound=msgspec.Struct)
OnePage = TypeVar("OnePage", bound=Page)


def decoded(content: bytes, kind: type[Answer], address: str) -> Answer:
    """An answer as what it should be. Raises RemoteError with the reason when it is not."""
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise RemoteError(
            f"{address}: an answer cannot be used: {why_not_json(error)} ({excerpt(content[:80])})"
        ) from error


def ahead(items: Iterator[OnePage]) -> Iterator[OnePage]:
    """The same pages, the next one asked for while one is being used; what it raises comes after that one."""
    with ThreadPoolExecutor(1, thread_name_prefix="mlflow-page") as pool:
        coming = pool.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = pool.submit(next, items, None)
            yield item


def pages(ask: Callable[[str], OnePage], address: str) -> Iterator[OnePage]:
    """All pages from the first (token "") on. Raises RemoteError when a token comes twice."""
    token, seen = "", set[str]()
    while True:
        page = ask(token)
        yield page
        token = page.next_page_token
        if not token:
            return
        if token in seen:
            raise RemoteError(f"{address}: names the same next page twice, so that there is no last one")
        seen.add(token)
