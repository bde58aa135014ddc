"""One generation's requests in memory: numbers as numpy arrays, text in DuckDB, row by row alike.

Row ``i`` of every array is the row with ``rowid = i`` of the DuckDB table. Rows stand in time
order, those without a time last, so that a time range is a slice and blocks of time are blocks of rows.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from budget_model.records.facts import Outcome
from budget_model.store.ledger import SegmentRef

MISSING = -1
"""Stands for NULL in number columns, none of which can be negative."""

OUTCOMES: tuple[str, ...] = tuple(str(outcome) for outcome in Outcome)
"""An outcome's code is its place here."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """Codes of shape (n,) into ``labels``; the last label is None, for rows without a value."""

    codes: NDArray[Any]  # uint8 for few labels, else int32
    labels: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class TokenGaps:
    """Token gaps of shape (g,), sorted by the position of their request."""

    positions: NDArray[np.int64]
    gap_us: NDArray[np.int64]
    tokens: NDArray[np.int64]


@dataclass(eq=False)
class RequestTable:
    """An immutable generation. Safe to share between threads: every query opens its own cursor."""

    generation: int
    name: str  # of the DuckDB table
    segments: tuple[SegmentRef, ...]  # the files it was made of
    connection: duckdb.DuckDBPyConnection
    size: int
    timed: int  # rows that carry a start time; they come first
    numbers: dict[str, NDArray[Any]]  # int32 where the values fit, else int64; MISSING for NULL
    dimensions: dict[str, Dimension]
    outcomes: NDArray[np.int8]
    id_ranks: NDArray[np.int32]  # place of the request id among all, for ties
    selections: dict[Any, Any] = field(default_factory=dict)  # by filter, longest unused first
    memo: dict[Any, Any] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def fetch(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Rows of a query with bound ``values``, over a cursor of its own."""
        with self.connection.cursor() as cursor:
            return cursor.execute(sql, list(values)).fetchall()

    def fetch_arrays(self, sql: str, values: Sequence[Any] = ()) -> dict[str, NDArray[Any]]:
        """Number columns of a query with bound ``values``, over a cursor of its own."""
        with self.connection.cursor() as cursor:
            found: dict[str, NDArray[Any]] = cursor.execute(sql, list(values)).fetchnumpy()  # type: ignore[assignment]
            return found
