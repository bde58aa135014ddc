"""``tailbudget import``: bring files in, and say what went in and what did not."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from budget_model.commands.common import (
    EXIT_CANNOT_SAY,
    HomeOption,
    JsonOption,
    err,
    out,
    print_json,
    settings_for,
)
from budget_model.commands.progress import progress_bar
from budget_model.errors import SettingsError
from budget_model.services.import_report import Counts, FileReport, ImportReport
from budget_model.services.importing import import_files
from budget_model.services.lean import leave_pandas_out

_REJECTS_SHOWN = 10
_HEADS = ("records", "taken", "refused", "repeats", "known", "requests", "spans")
_COLUMNS = ("records", "accepted", "rejected", "duplicates", "already_known", "requests", "spans")

PathsArgument = Annotated[
    list[Path], typer.Argument(readable=False, help="Files, or folders to take all files below.")
]
FormatOption = Annotated[
    str | None, typer.Option("--format", help="Read as this format whatever it looks like.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", help="A dimension for everything in the files, such as tenant=acme. Repeatable."),
]


def import_(
    paths: PathsArgument,
    format: FormatOption = None,
    set_: SetOption = None,
    as_json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Import trace exports and request logs. The same content again changes nothing."""
    leave_pandas_out()
    dimensions = dict(_pair(text) for text in set_ or [])
    with progress_bar() as bar:
        report = import_files(
            settings_for(home), paths, format=format, set_dimensions=dimensions, on_progress=bar
        )
    if as_json:
        print_json(report.as_json())
    else:
        _show(report)
    for failure in report.failures:
        err.print(str(failure.error), style="red", markup=False, soft_wrap=True)
    if report.failures:
        raise typer.Exit(EXIT_CANNOT_SAY)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise SettingsError(f"--set {text!r}: NAME=VALUE is accepted, such as tenant=acme")
    return name.strip(), value


def _show(report: ImportReport) -> None:
    table = Table("file", "format", *_HEADS, box=SIMPLE, pad_edge=False)
    for file in report.files:
        table.add_row(Text(Path(file.path).name), file.format, *_numbers(file.counts))
    if len(report.files) > 1:
        table.add_section()
        table.add_row("total", "", *_numbers(report.totals))
    if report.files:
        out.print(table)
    for file in report.files:
        _show_words(file)


def _numbers(counts: Counts) -> list[str]:
    return [f"{getattr(counts, name):,}" for name in _COLUMNS]


def _show_words(file: FileReport) -> None:
    name = Path(file.path).name
    for warned in file.warnings:
        words = f"{name}: {warned.code}, {warned.count:,} times, such as: {warned.example}"
        out.print(words, markup=False, soft_wrap=True)
    for reject in file.rejects[:_REJECTS_SHOWN]:
        words = f"{name}, {reject.where}: {reject.value!r} refused: {reject.reason}"
        out.print(words, markup=False, soft_wrap=True)
    more = file.counts.rejected - _REJECTS_SHOWN
    if more > 0:
        out.print(f"{name}: and {more:,} more refused", markup=False, soft_wrap=True)
