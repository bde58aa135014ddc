"""The demo: two simulated weeks of an LLM service, written as OTLP and imported like any file.

The ledger alone knows whether a demo is there: the names of its files carry the seed, the number of
requests and the moment it ends. So a load that was cut off is finished by the next one, and a demo
of an earlier day is recognised instead of being doubled by one that ends today.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

from budget_model.demo import scenario
from budget_model.demo.files import write_files
from budget_model.demo.prompts import is_chat, prompt_texts
from budget_model.demo.timeline import simulate
from budget_model.errors import Cancelled
from budget_model.records.mlflow import PromptVersion
from budget_model.services.clock import now_us
from budget_model.services.import_report import ImportReport, Progress
from budget_model.services.importing import import_files
from budget_model.services.imports import past_imports
from budget_model.services.mlflow_prompts import keep_prompts
from budget_model.settings import Settings
from budget_model.store.ledger import Ledger
from budget_model.store.prompt_catalog import PromptCatalog

OnProgress = Callable[[Progress], None]
DEFAULT_SEED, DEFAULT_REQUESTS = scenario.SEED, scenario.REQUESTS
PROMPTS_SOURCE = "the demo"
_US_PER_S = 1_000_000
_NAME = re.compile(r"demo-seed(\d+)-requests(\d+)-until(\d{8}T\d{6}Z)-.*\.jsonl")
_STAMP = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True, slots=True)
class Demo:
    """What decides every byte of a demo. ``until_s`` is the end of its two weeks, UTC epoch seconds."""

    seed: int
    requests: int
    until_s: int

    @property
    def until(self) -> datetime:
        """The end of the two weeks."""
        return datetime.fromtimestamp(self.until_s, UTC)

    def file_name(self, day: str) -> str:
        """Name of the file of one UTC day (YYYY-MM-DD)."""
        return f"demo-seed{self.seed}-requests{self.requests}-until{self.until:{_STAMP}}-{day}.jsonl"


@dataclass(frozen=True, slots=True)
class DemoReport(ImportReport):
    """What loading the demo did: the report of its import, and which demo the home now holds.

    ``was_there`` says that a demo was in the home before; nothing of it is ever doubled.
    """

    demo: Demo
    was_there: bool

    @property
    def words(self) -> str:
        """What happened, in one sentence."""
        until = f"{self.demo.until:%d %B %Y, %H:%M} UTC"
        if not self.was_there:
            return f"The demo is loaded: {self.totals.requests:,} requests in the two weeks to {until}."
        if self.totals.requests:
            return f"The demo that ends {until} was there in part and is now whole."
        return f"A demo that ends {until} is in this home already; nothing was added."


def demo_of_name(name: str) -> Demo | None:
    """The demo that a file of this name belongs to; None when it is no demo's name.

    >>> demo_of_name("demo-seed20-requests40000-until20261201T032000Z-2026-11-18.jsonl").until_s
    1796095200
    """
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    until = datetime.strptime(match[3], _STAMP).replace(tzinfo=UTC)
    return Demo(int(match[1]), int(match[2]), int(until.timestamp()))


def write_demo(folder: Path, demo: Demo, on_progress: OnProgress | None = None) -> list[Path]:
    """Write the demo's OTLP JSON lines into ``folder``, one file a UTC day; the same bytes every time."""
    sim = simulate(demo.until_s * 1_000_000_000, demo.seed, demo.requests)
    return write_files(sim, folder, demo.file_name, _writing(on_progress))


def load_demo(
    settings: Settings,
    *,
    seed: int = DEFAULT_SEED,
    requests: int = DEFAULT_REQUESTS,
    until_us: int | None = None,
    on_progress: OnProgress | None = None,
    cancel: Event | None = None,
) -> DemoReport:
    """Simulate two weeks up to ``until_us`` (UTC epoch microseconds, None for now) and import them.

    When a demo is in the home already it is that one that is completed, whatever was asked for.
    Raises Cancelled, StoreError and MappingError as ``import_files`` does.
    """
    asked = Demo(seed, requests, (now_us() if until_us is None else until_us) // _US_PER_S)
    present = _present(settings)
    demo = present or asked
    with tempfile.TemporaryDirectory(prefix="tailbudget-demo-") as folder:
        paths = write_demo(Path(folder), demo, _cancellable(on_progress, cancel))
        report = import_files(settings, paths, on_progress=on_progress, cancel=cancel)
    _keep_prompts(settings)
    return DemoReport(report.files, report.failures, demo, was_there=present is not None)


def _keep_prompts(settings: Settings) -> None:
    """The texts of the demo's prompts, as a sync would bring them from a registry."""
    versions = [
        PromptVersion(name, version, text, len(text), is_chat(name), None)
        for (name, version), text in prompt_texts().items()
    ]
    ledger = Ledger(settings)
    try:
        keep_prompts(PromptCatalog(ledger), versions, PROMPTS_SOURCE, now_us())
    finally:
        ledger.close()


def _present(settings: Settings) -> Demo | None:
    ledger = Ledger(settings)
    try:
        return _first_demo(Path(past.path).name for past in past_imports(ledger))
    finally:
        ledger.close()


def _first_demo(names: Iterable[str]) -> Demo | None:
    found = (demo_of_name(name) for name in names)
    return next((demo for demo in found if demo is not None), None)


def _cancellable(on_progress: OnProgress | None, cancel: Event | None) -> OnProgress:
    def tell(progress: Progress) -> None:
        if cancel is not None and cancel.is_set():
            raise Cancelled("The demo was cancelled; nothing of it was kept.")
        if on_progress is not None:
            on_progress(progress)

    return tell


def _writing(on_progress: OnProgress | None) -> Callable[[Path, int, int], None]:
    """Turns requests written into progress; the size of all files is told from those written so far."""
    written = 0

    def tell(path: Path, done: int, requests: int) -> None:
        nonlocal written
        written += path.stat().st_size
        if on_progress is not None:
            words = f"Simulating two weeks: {done:,} of {requests:,} requests"
            total = written * requests // max(1, done)
            on_progress(Progress("simulating", str(path), written, total, done, 0.0, None, words))

    return tell
