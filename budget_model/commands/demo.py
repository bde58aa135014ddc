"""``tailbudget demo``: fill a home with two simulated weeks, through the same import as any file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from budget_model.commands.common import (
    EXIT_CANNOT_SAY,
    HomeOption,
    JsonOption,
    err,
    print_json,
    settings_for,
)
from budget_model.errors import SettingsError
from budget_model.services.demo import DEFAULT_REQUESTS, DEFAULT_SEED, DemoReport, load_demo
from budget_model.services.import_report import Progress as ImportProgress

RequestsOption = Annotated[
    int, typer.Option("--requests", min=100, max=1_000_000, help="How many requests to simulate.")
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Another seed, another two weeks.")]
UntilOption = Annotated[
    str | None,
    typer.Option("--until", help="Where the two weeks end, such as 2026-12-01T03:20:00Z (default: now)."),
]


def demo(
    home: HomeOption = None,
    requests: RequestsOption = DEFAULT_REQUESTS,
    seed: SeedOption = DEFAULT_SEED,
    until: UntilOption = None,
    json: JsonOption = False,
) -> None:
    """Load the demo: two weeks of a simulated LLM service with a few true stories in it."""
    until_us = None if until is None else moment_us(until)
    with _bar() as bar:
        task = bar.add_task("Starting", total=None)
        report = load_demo(
            settings_for(home),
            seed=seed,
            requests=requests,
            until_us=until_us,
            on_progress=lambda progress: show(bar, task, progress),
        )
    _finish(report, as_json=json)


def moment_us(text: str) -> int:
    """An ISO 8601 moment with a zone as UTC epoch microseconds. Raises SettingsError."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise SettingsError(
            f"--until {text!r}: a moment with its zone is accepted, such as 2026-12-01T03:20:00Z"
        )
    return int(moment.astimezone(UTC).timestamp()) * 1_000_000


def show(bar: Progress, task: TaskID, progress: ImportProgress) -> None:
    """Move the bar to where the work is."""
    words = progress.words or f"{progress.phase.capitalize()} {Path(progress.path).name}"
    bar.update(task, description=words, completed=progress.bytes_done, total=progress.bytes_total or None)


def _bar() -> Progress:
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    return Progress(*columns, console=err, transient=True)


def _finish(report: DemoReport, *, as_json: bool) -> None:
    if as_json:
        about = {
            "seed": report.demo.seed,
            "requests": report.demo.requests,
            "until": report.demo.until.isoformat(),
        }
        print_json(report.as_json() | {"demo": about, "was_there": report.was_there})
    for failure in report.failures:
        err.print(str(failure.error), style="red", markup=False, soft_wrap=True)
    if report.failures:
        raise typer.Exit(EXIT_CANNOT_SAY)
    err.print(report.words, markup=False, soft_wrap=True)
