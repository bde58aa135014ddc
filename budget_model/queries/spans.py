"""The stored spans of one trace, looked up by its id in the spans segments."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from budget_model.errors import StoreError
from budget_model.queries.table import RequestTable
from budget_model.records.spans import Span
from budget_model.store.tables import spans_of


def spans_of_trace(table: RequestTable, paths: Sequence[str], trace_id: str, trace_key: int) -> list[Span]:
    """All stored records of a trace, repeats included, in the order of the segments.

    ``trace_key`` lets Parquet skip row groups, which are sorted by it. Raises StoreError when a
    segment cannot be read.
    """
    if not paths:
        return []
    query = "SELECT * FROM read_parquet(?) WHERE trace_key = ? AND trace_id = ?"
    try:
        with table.connection.cursor() as cursor:
            found = cursor.sql(query, params=[list(paths), trace_key, trace_id]).to_arrow_table()
    except duckdb.Error as error:
        raise StoreError(
            f"the stored spans cannot be read ({str(error).splitlines()[0]}); run `tailbudget doctor`"
        ) from error
    return spans_of(found)
