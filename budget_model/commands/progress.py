"""A progress bar on stderr for work that takes longer than a second."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.progress import BarColumn, Progress, TaskID, TextColumn

from budget_model.commands.common import err
from budget_model.services.import_report import Progress as Report

_QUIET_S = 1.0


class _Bar:
    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task: TaskID | None = None
        self._began = time.monotonic()

    def __call__(self, report: Report) -> None:
        if report.phase == "waiting":
            err.print(report.words, markup=False, soft_wrap=True)
            return
        if self._task is None:
            if time.monotonic() - self._began < _QUIET_S:
                return
            self._bar.start()
            self._task = self._bar.add_task("", total=None)
        self._bar.update(
            self._task, description=_words(report), completed=report.bytes_done, total=report.bytes_total
        )


@contextmanager
def progress_bar() -> Iterator[_Bar]:
    """What to hand to a service as ``on_progress``."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn())
    bar = Progress(*columns, console=err, transient=True)
    try:
        yield _Bar(bar)
    finally:
        bar.stop()


def _words(report: Report) -> str:
    left = "" if report.seconds_left is None else f", {report.seconds_left:.0f} s left"
    name = f" {Path(report.path).name}" if report.path else ""
    return f"{report.phase}{name}: {report.records:,} records, {report.records_per_s:,.0f} a second{left}"
