"""One visit to the dashboard with a real Chromium, watched for errors and calls to the outside."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, Request

Scheme = Literal["light", "dark"]
ROOT = Path(__file__).parent.parent.parent
OUT = Path(__file__).parent / "out"
DOCUMENTED = ROOT / "docs" / "screenshots"

# Streamlit says it is still at work in three places; all of them must be quiet.
SETTLED = """() => {
    const app = document.querySelector('[data-testid=stApp]');
    return app && app.dataset.testScriptState === 'notRunning'
        && app.dataset.testConnectionState === 'CONNECTED'
        && !document.querySelector('[data-testid=stSkeleton]')
        && !document.querySelector('[data-stale=true]');
}"""

# On a deep link Streamlit finds out where its server's root is by asking below the page first.
SEARCHED_FOR = ("/_stcore/health", "/_stcore/host-config")


class Visit:
    """A browser tab on the dashboard. ``errors`` and ``outside`` fill as the page works."""

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.base = base
        self.errors: list[str] = []
        self.outside: list[str] = []
        page.on("console", self._heed)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._note)

    def _heed(self, message: ConsoleMessage) -> None:
        url = str(message.location.get("url", ""))
        if message.type == "error" and not url.endswith(SEARCHED_FOR):
            self.errors.append(f"{message.text} {url}")

    def _note(self, request: Request) -> None:
        host = urlsplit(request.url)
        if host.scheme in ("http", "https", "ws", "wss") and host.netloc != urlsplit(self.base).netloc:
            self.outside.append(request.url)

    def go(self, path: str = "/") -> Visit:
        """Open ``path`` of the dashboard and wait until it is drawn."""
        self.page.goto(self.base + path)
        return self.settle()

    def settle(self) -> Visit:
        """Wait until the script has ended and nothing stale is left on the page."""
        self.page.wait_for_function(SETTLED, timeout=60_000)
        self.page.wait_for_timeout(250)  # a click takes a moment to reach the server
        self.page.wait_for_function(SETTLED, timeout=60_000)
        return self

    def click(self, name: str, role: Literal["button", "link", "tab"] = "button") -> Visit:
        """Click what carries ``name`` and wait for the answer."""
        self.page.get_by_role(role, name=re.compile(name, re.IGNORECASE)).first.click()
        return self.settle()

    def text(self) -> str:
        """All words on the page."""
        return self.page.locator("[data-testid=stApp]").inner_text()

    def has_failed(self) -> bool:
        """Whether a traceback is shown."""
        return self.page.locator("[data-testid=stException]").count() > 0

    def picture(self, name: str) -> Path:
        """Write a picture of the whole page: into docs when asked to, else into an ignored folder."""
        folder = DOCUMENTED if os.environ.get("TAILBUDGET_WRITE_SCREENSHOTS") == "1" else OUT
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / f"{name}.png"
        with self._whole_page():
            self.page.screenshot(path=target)
        return target

    @contextmanager
    def _whole_page(self) -> Iterator[None]:
        """The dashboard scrolls inside the window, so the window is made as high as its content."""
        size = self.page.viewport_size or {"width": 1280, "height": 800}
        height = self.page.evaluate("document.querySelector('[data-testid=stMain]')?.scrollHeight ?? 800")
        self.page.set_viewport_size({"width": size["width"], "height": min(max(int(height), 600), 4000)})
        self.settle()
        yield
        self.page.set_viewport_size(size)

    def problems(self) -> list[str]:
        """Tracebacks, console errors, and every request to anywhere else."""
        traceback = [self.text()[:2000]] if self.has_failed() else []
        return [*traceback, *self.errors, *self.outside]


Visitor = Callable[..., Visit]


def open_visit(browser: Browser, base: str, *, scheme: Scheme = "light", width: int = 1280) -> Visit:
    """A new tab in a context of its own: nothing is shared with other visits."""
    context = browser.new_context(
        color_scheme=scheme,
        viewport={"width": width, "height": 900},
        locale="en-GB",
        timezone_id="UTC",
        reduced_motion="reduce",
    )
    context.set_default_timeout(20_000)
    return Visit(context.new_page(), base)
