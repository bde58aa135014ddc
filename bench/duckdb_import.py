"""The alternative beside which the import is measured: DuckDB's own JSON reader and ``unnest``.

Only spans land in a table: no hops, no duplicates, no rejects, no ledger.
"""

from __future__ import annotations

import sys

import duckdb

ATTRIBUTES = "STRUCT(key VARCHAR, value STRUCT(stringValue VARCHAR, intValue VARCHAR, doubleValue DOUBLE))[]"
SPANS = (
    "STRUCT(traceId VARCHAR, spanId VARCHAR, parentSpanId VARCHAR, name VARCHAR, kind INTEGER, "
    f"startTimeUnixNano VARCHAR, endTimeUnixNano VARCHAR, attributes {ATTRIBUTES})[]"
)
COLUMNS = f"STRUCT(resource STRUCT(attributes {ATTRIBUTES}), scopeSpans STRUCT(spans {SPANS})[])[]"

QUERY = f"""
create table spans as
with resources as (
    select unnest(resourceSpans) r
    from read_json(?, format = 'newline_delimited', columns = {{'resourceSpans': '{COLUMNS}'}})
), scopes as (
    select r.resource.attributes resource, unnest(r.scopeSpans) s from resources
), flat as (
    select resource, unnest(s.spans) span from scopes
)
select span.traceId trace_id, span.spanId span_id, span.parentSpanId parent_id, span.name, span.kind,
    span.startTimeUnixNano::bigint start_ns, span.endTimeUnixNano::bigint end_ns, span.attributes, resource
from flat
"""


def main(path: str) -> None:
    """Import ``path`` into an in-memory table with two threads and print how many spans it holds."""
    con = duckdb.connect(config={"threads": 2})
    con.execute(QUERY, [path])
    counted = con.execute("select count(*) from spans").fetchone()
    print(counted[0] if counted else 0)


if __name__ == "__main__":
    main(sys.argv[1])
