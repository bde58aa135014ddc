"""How every bench prints what it measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

WIDTH = 140


def show(
    title: str,
    columns: Sequence[str],
    sections: Iterable[Iterable[Sequence[str]]],
    *,
    words: int = 1,
    caption: str | None = None,
) -> None:
    """Print rows, a line between sections; the first ``words`` columns are words, the others figures."""
    table = Table(title=title, caption=caption)
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number < words else "right")
    for rows in sections:
        for row in rows:
            table.add_row(*row)
        table.add_section()
    Console(width=WIDTH).print(table)
