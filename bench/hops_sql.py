"""The figures of the Hops page in DuckDB's own SQL: exact ``quantile_disc``, no intervals, no grades."""

from __future__ import annotations

from collections.abc import Callable

import duckdb

from budget_model.domain.hops import HOPS
from budget_model.queries.columns import metric_column

HEAT_DIMENSION = "tenant"
SEGMENT_DIMENSIONS = ("workload", "tenant", "region", "bucket")
METRICS = ("e2e", "ttft", "tpot", *map(str, HOPS))
PATHS = tuple(f"path_{hop}_us" for hop in HOPS)
HOUR_3_US = 3 * 3_600_000_000

Query = Callable[[duckdb.DuckDBPyConnection, str, str], object]


def percentiles(con: duckdb.DuckDBPyConnection, table: str, condition: str) -> object:
    """Three quantiles of thirteen columns."""
    wanted = ", ".join(f"quantile_disc({metric_column(m)}, [0.5, 0.95, 0.99])" for m in METRICS)
    return con.execute(f"SELECT {wanted} FROM {table} WHERE outcome = 'ok' AND {condition}").fetchall()


def waterfall(con: duckdb.DuckDBPyConnection, table: str, condition: str, q: float = 0.99) -> object:
    """Mean hop times between the quantiles half a percent to either side of ``q``."""
    ends = f"SELECT quantile_disc(e2e_us, [{q - 0.005}, {q + 0.005}]) FROM {table} WHERE outcome = 'ok'"
    low, high = con.execute(f"{ends} AND {condition}").fetchall()[0][0]
    means = ", ".join(f"avg({column})" for column in PATHS)
    near = f"outcome = 'ok' AND {condition} AND e2e_us BETWEEN ? AND ?"
    return con.execute(f"SELECT {means} FROM {table} WHERE {near}", [low, high]).fetchall()


def difference(con: duckdb.DuckDBPyConnection, table: str, condition: str) -> object:
    """The median's waterfall; the tail's is there already."""
    return waterfall(con, table, condition, 0.5)


def series(con: duckdb.DuckDBPyConnection, table: str, condition: str) -> object:
    """Three quantiles of e2e in buckets of three hours."""
    return con.execute(
        f"SELECT start_us // {HOUR_3_US} AS t, count(*), quantile_disc(e2e_us, [0.5, 0.95, 0.99])"
        f" FROM {table} WHERE outcome = 'ok' AND {condition} GROUP BY t ORDER BY t"
    ).fetchall()


def segments(con: duckdb.DuckDBPyConnection, table: str, condition: str) -> object:
    """Two quantiles of e2e by each of four dimensions."""
    return [
        con.execute(
            f"SELECT {d}, count(*), quantile_disc(e2e_us, [0.5, 0.99]) FROM {table}"
            f" WHERE outcome = 'ok' AND {condition} GROUP BY {d} ORDER BY {d}"
        ).fetchall()
        for d in SEGMENT_DIMENSIONS
    ]


def heat_map(con: duckdb.DuckDBPyConnection, table: str, condition: str) -> object:
    """Mean hop times around every segment's own p99."""
    d, means = HEAT_DIMENSION, ", ".join(f"avg({column})" for column in PATHS)
    return con.execute(
        f"WITH ends AS (SELECT {d} AS value, quantile_disc(e2e_us, [0.985, 0.995]) AS e FROM {table}"
        f" WHERE outcome = 'ok' AND {condition} GROUP BY {d})"
        f" SELECT value, {means} FROM {table} JOIN ends ON value = {d}"
        f" WHERE outcome = 'ok' AND {condition} AND e2e_us BETWEEN e[1] AND e[2] GROUP BY value"
    ).fetchall()


FIGURES: dict[str, Query] = {
    "percentile table": percentiles,
    "waterfall p99": waterfall,
    "difference p50 to p99": difference,
    "trend of e2e": series,
    "segment tables (4)": segments,
    "heat map by tenant": heat_map,
}
