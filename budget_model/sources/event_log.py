"""A log with one row an event, in CSV, JSON lines or Parquet."""

from __future__ import annotations

from collections.abc import Iterator

from budget_model.records.raw import Piece, ReadOptions, Sourced
from budget_model.sources.table_rows import rows


def read(piece: Piece, options: ReadOptions) -> Iterator[Sourced]:
    """The rows, each payload its cells by column name."""
    return rows(piece, options)
