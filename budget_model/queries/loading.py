"""Bringing a generation's segments into memory, reading only what the previous one did not hold."""

from __future__ import annotations

from contextlib import suppress
from itertools import count
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from budget_model.errors import StoreError
from budget_model.queries.buckets import bucket_labels, bucket_sql
from budget_model.queries.catalog import paths_of, still_counts, superseding_paths
from budget_model.queries.columns import DETAIL_COLUMNS, DURATION_COLUMNS, NUMBER_COLUMNS, STORED_DIMENSIONS
from budget_model.queries.filters import DIMENSIONS
from budget_model.queries.table import MISSING, OUTCOMES, Dimension, RequestTable
from budget_model.store.ledger import Changes, SegmentRef
from budget_model.store.schema import Kind

Cursor = duckdb.DuckDBPyConnection

PROMPT_SQL = (
    "CASE WHEN prompt_version IS NULL THEN prompt_name"
    " ELSE coalesce(prompt_name, '') || '@' || prompt_version END"
)
"""A prompt's label, ``name@version``; the name alone when it carries no version."""

STORED_COLUMNS: tuple[str, ...] = (
    *DETAIL_COLUMNS,
    "start_us",
    "flags",
    *STORED_DIMENSIONS,
    "prompt_name",
    "prompt_version",
    *DURATION_COLUMNS,
)


def drop(connection: duckdb.DuckDBPyConnection, table_name: str) -> None:
    """Forget a generation. A connection closed at exit has forgotten already."""
    with suppress(duckdb.ConnectionException), connection.cursor() as cursor:
        cursor.execute(f"DROP SCHEMA IF EXISTS {table_name.split('.')[0]} CASCADE")


class Loader:
    """Builds tables on one connection; not for use by two threads at once."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, bucket_edges: tuple[int, ...]) -> None:
        self._connection = connection
        self._edges = bucket_edges
        self._numbers = count()

    def load(self, changes: Changes, previous: RequestTable | None) -> RequestTable:
        """The ledger's changes applied to ``previous``, which is copied from and never changed.

        Raises StoreError when a segment cannot be read.
        """
        schema = f"g{next(self._numbers)}"
        kept = None if changes.reload else previous
        segments = (*(kept.segments if kept else ()), *changes.segments)
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(f"CREATE SCHEMA {schema}")
                _stage(cursor, schema, changes, kept)
                self._build(cursor, schema)
                return _table(self._connection, cursor, schema, changes.generation, segments)
        except duckdb.Error as error:
            drop(self._connection, schema)
            raise StoreError(
                f"the stored requests cannot be read ({str(error).splitlines()[0]}); run `tailbudget doctor`"
            ) from error

    def _build(self, cursor: Cursor, schema: str) -> None:
        expressions = {name: name for name in STORED_DIMENSIONS}
        expressions |= {"bucket": bucket_sql(self._edges), "prompt": PROMPT_SQL}
        for name, expression in expressions.items():
            labels = f"SELECT DISTINCT {expression} AS label FROM {schema}.staged"  # noqa: S608 fixed names
            if name == "bucket":
                labels = " UNION ALL ".join(
                    f"SELECT '{label}' AS label" for label in bucket_labels(self._edges)
                )
            else:
                labels = f"SELECT label FROM ({labels}) WHERE label IS NOT NULL ORDER BY label"  # noqa: S608
            cursor.execute(f"CREATE TYPE {schema}.{name} AS ENUM ({labels})")
        dimensions = ", ".join(f"({expressions[d]})::{schema}.{d} AS {d}" for d in DIMENSIONS)
        plain = ", ".join(name for name in STORED_COLUMNS if name not in STORED_DIMENSIONS)
        cursor.execute(
            f"CREATE TABLE {schema}.requests AS SELECT {plain}, {dimensions}"  # noqa: S608 fixed names
            f" FROM {schema}.staged ORDER BY start_us NULLS LAST, request_id"
        )
        cursor.execute(f"DROP TABLE {schema}.staged")


def _stage(cursor: Cursor, schema: str, changes: Changes, old: RequestTable | None) -> None:
    """Rows that still count, from the previous table and from the segments it did not hold."""
    types = ", ".join(f"{name} {_sql_type(name)}" for name in STORED_COLUMNS)
    cursor.execute(f"CREATE TABLE {schema}.staged ({types})")
    insert = f"INSERT INTO {schema}.staged SELECT {', '.join(STORED_COLUMNS)} FROM"
    if old is not None:
        condition, gone = still_counts(superseding_paths(changes.segments, old.generation))
        cursor.execute(f"{insert} {old.name} WHERE {condition}", gone)
    for generation in sorted({ref.generation for ref in changes.segments}):
        paths = paths_of(changes.segments, Kind.REQUESTS, generation)
        if paths:
            condition, gone = still_counts(superseding_paths(changes.segments, generation))
            cursor.execute(f"{insert} read_parquet(?) WHERE {condition}", [paths, *gone])


def _sql_type(column: str) -> str:
    whole = ("flags", "prompt_tokens", "output_tokens", "attempts", "span_count", "error_span_count")
    return "BIGINT" if column.endswith(("_us", "_key")) or column in whole else "VARCHAR"


def _table(
    connection: duckdb.DuckDBPyConnection,
    cursor: Cursor,
    schema: str,
    generation: int,
    segments: tuple[SegmentRef, ...],
) -> RequestTable:
    name = f"{schema}.requests"
    outcome_code = f"list_position([{', '.join(repr(o) for o in OUTCOMES)}], outcome) - 1"
    found = _arrays(cursor, name, {c: f"coalesce({c}, {MISSING})" for c in NUMBER_COLUMNS})
    numbers = {column: _narrow(values) for column, values in found.items()}
    outcomes = _arrays(cursor, name, {"code": outcome_code})["code"].astype(np.int8)
    ids = _arrays(cursor, name, {"place": "row_number() OVER (ORDER BY request_id)", "row": "rowid"})
    id_ranks = np.empty(len(outcomes), np.int32)
    id_ranks[ids["row"]] = ids["place"]
    return RequestTable(
        generation=generation,
        name=name,
        segments=segments,
        connection=connection,
        size=len(outcomes),
        timed=int(np.count_nonzero(numbers["start_us"] != MISSING)),
        numbers=numbers,
        dimensions={d: _dimension(cursor, schema, d) for d in DIMENSIONS},
        outcomes=outcomes,
        id_ranks=id_ranks,
    )


def _dimension(cursor: Cursor, schema: str, name: str) -> Dimension:
    (labels,) = cursor.execute(f"SELECT enum_range(NULL::{schema}.{name})").fetchall()[0]
    code = f"coalesce(enum_code({name})::INTEGER, {len(labels)})"
    codes = _arrays(cursor, f"{schema}.requests", {"code": code})["code"]
    small = len(labels) <= np.iinfo(np.uint8).max
    return Dimension(codes.astype(np.uint8 if small else np.int32), (*labels, None))


def _arrays(cursor: Cursor, table: str, expressions: dict[str, str]) -> dict[str, NDArray[Any]]:
    """Expressions of whole columns, in the order in which the rows were inserted, which DuckDB keeps."""
    wanted = ", ".join(f"{expression} AS {name}" for name, expression in expressions.items())
    found = cursor.execute(f"SELECT {wanted} FROM {table}").fetchnumpy()  # noqa: S608 fixed names
    return {name: np.ascontiguousarray(found[name]) for name in expressions}


def _narrow(column: NDArray[Any]) -> NDArray[Any]:
    """As int32 where the values fit: numpy sorts those several times faster."""
    fits = not len(column) or int(column.max()) <= np.iinfo(np.int32).max
    return column.astype(np.int32 if fits else np.int64)
