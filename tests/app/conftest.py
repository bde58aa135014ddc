"""Pages run without a browser, each test on a home of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

APP = Path(__file__).parents[2] / "app.py"

Open = Callable[..., AppTest]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty home, which the pages of this test read."""
    folder = tmp_path / "home"
    monkeypatch.setenv("TAILBUDGET_HOME", str(folder))
    monkeypatch.setenv("TAILBUDGET_WORKERS", "1")
    yield folder
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.fixture
def open_page(home: Path) -> Open:
    """Run a page with query parameters, as a link to it would."""

    def run(page: str = "", **query: str | list[str]) -> AppTest:
        at = AppTest.from_file(str(APP), default_timeout=60)
        for name, value in query.items():
            at.query_params[name] = value
        if page:
            at.switch_page(f"pages/{page}.py")
            for name, value in query.items():
                at.query_params[name] = value
        return at.run()

    return run
