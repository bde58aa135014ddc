"""A loaded dashboard and a real Chromium; without a Chromium the tests say that they were not run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from scripts.ensure_programs import PROGRAMS, find
from tests.browser.dashboard import Dashboard, start_dashboard, tailbudget
from tests.browser.visits import Scheme, Visit, Visitor, open_visit

HERE = Path(__file__).parent
DEMO_REQUESTS = 3000
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = find(PROGRAMS["chromium"], os.environ)
    if program is None:
        pytest.skip(PROGRAMS["chromium"].advice)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a reduced demo in it. Tests that add data make a home of their own."""
    home = tmp_path_factory.mktemp("demo-home")
    tailbudget("demo", "--requests", str(DEMO_REQUESTS), home=home)
    return home


@pytest.fixture(scope="session")
def demo_dashboard(
    browser: Browser, demo_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Dashboard]:
    dashboard = start_dashboard(demo_home, tmp_path_factory.mktemp("log") / "serve.log")
    yield dashboard
    dashboard.stop()


@pytest.fixture
def serve(browser: Browser, tmp_path: Path) -> Iterator[Callable[[Path], Dashboard]]:
    """Start fresh dashboards; each has answered nothing yet but a health check."""
    started: list[Dashboard] = []

    def start(home: Path) -> Dashboard:
        started.append(start_dashboard(home, tmp_path / f"serve-{len(started)}.log"))
        return started[-1]

    yield start
    for dashboard in started:
        dashboard.stop()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visitor]:
    """Open tabs on a dashboard; at the end every one must have been clean."""
    visits: list[Visit] = []

    def start(
        dashboard: Dashboard,
        path: str = "/",
        *,
        scheme: Scheme = "light",
        width: int = 1280,
        wait: bool = True,
    ) -> Visit:
        visits.append(open_visit(browser, dashboard.url, scheme=scheme, width=width))
        return visits[-1].go(path) if wait else visits[-1]

    yield start
    problems = [problem for one in visits for problem in one.problems()]
    for one in visits:
        one.page.context.close()
    assert problems == []
