"""Table cells for the terminal. Labels come from data, so they are shown as text and nothing else."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from budget_model.commands.common import out
from budget_model.queries.results import Interval

NOT_RECORDED = "not recorded"
NO_DATA = "no data"
WIDEST = 500


def label(value: str | None) -> Text:
    """A label without anything a terminal would act on; missing ones in words."""
    if value is None:
        return Text(NOT_RECORDED, style="dim")
    return Text("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in value))


def line(words: str) -> Text:
    """A line that may hold texts from data: as ``label``, with tabs and newlines left to the terminal."""
    return Text("".join(c if c.isprintable() or c in "\t\n" else "\N{REPLACEMENT CHARACTER}" for c in words))


def milliseconds(value: float | None) -> Text:
    """A duration in ms to about four figures; missing ones in words."""
    if value is None:
        return Text(NO_DATA, style="dim")
    decimals = 0 if value >= 1000 else 1 if value >= 10 else 3
    return Text(f"{value:,.{decimals}f}")


def printed(ms: float, whole: int, *, in_whole_ms: bool) -> str:
    """One of several times that add up: whole milliseconds, or the exact microseconds of a short total."""
    if not in_whole_ms:
        return f"{ms:.3f}"
    return "< 1" if whole == 0 and ms > 0 else f"{whole:,}"


def interval(found: Interval) -> Text:
    """Both ends of a confidence interval; an end the sample is too small for is said to be unknown."""
    return Text(f"{_end(found.low_ms)} .. {_end(found.high_ms)}")


def _end(ms: float | None) -> str:
    return "?" if ms is None else f"{ms:,.0f}" if ms >= 10 else f"{ms:.3f}"


def print_whole(table: Table) -> None:
    """Print a table with every column whole, though a narrow terminal may have to fold the lines."""
    needed = out.measure(table, options=out.options.update(width=WIDEST)).maximum
    Console(width=max(out.width, needed), highlight=False).print(table)
