"""Whether a table, by its header, is an event log or a request log."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from budget_model.sources import shapes

SEPARATORS = ",;\t|"


def separator_of(header: str) -> str:
    """The column separator of a CSV header line: the one of comma, semicolon, tab and bar it has most of."""
    return max(SEPARATORS, key=header.count)


def classify_table(text: str) -> tuple[str | None, str]:
    """Format and words for the beginning of a CSV file; format is None when it is no such table."""
    header = next((line for line in text.splitlines() if line.strip()), "")
    try:
        columns = next(csv.reader([header], delimiter=separator_of(header)), [])
    except csv.Error:  # one word longer than any column name
        columns = []
    return _classify(columns) if len(columns) > 1 else (None, f"text beginning {header[:40]!r}")


def classify_parquet(path: Path, compression: str) -> tuple[str | None, str]:
    """Format and words for a Parquet file, from its schema."""
    if compression != "none":
        return None, "a compressed Parquet file (unpack it first)"
    try:
        columns = pq.read_schema(path).names
    except (pa.ArrowException, OSError) as error:
        return None, f"a damaged Parquet file ({error})"
    return _classify(columns)


def _classify(columns: list[str]) -> tuple[str | None, str]:
    foreign = shapes.foreign_table(columns)
    if foreign is not None:
        return None, foreign
    if shapes.is_event_row(columns):
        return "event-log", ""
    if shapes.is_request_row(columns):
        return "request-log", ""
    return None, f"text: a table with the columns {', '.join(columns[:5])[:120]}"
