"""Whose spans requests are made of, and what is known of those requests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from budget_model.domain.hops import HOPS, Hop
from budget_model.errors import StoreError
from budget_model.queries.columns import PATH_COLUMNS
from budget_model.queries.table import RequestTable
from budget_model.records.facts import Outcome

TAG_COLUMNS: tuple[str, ...] = (
    *("workload", "tenant", "region", "model", "prompt_version", "prompt_tokens", "output_tokens"),
)
"""What figures are split by and tokens are counted from."""

HOP_COLUMNS: dict[Hop, str] = dict(zip(HOPS, PATH_COLUMNS, strict=True))
"""A hop's path time."""

KNOWN_COLUMNS: tuple[str, ...] = (*PATH_COLUMNS, *TAG_COLUMNS, "ttft_us")
"""Columns of which it is counted in how many requests they are known."""

_COUNTS = ", ".join(f"count(r.{name})" for name in KNOWN_COLUMNS)
_MODELLED = "r.path_prefill_us IS NOT NULL OR r.path_decode_us IS NOT NULL"
_BY_SERVICE = (
    "SELECT p.service, r.outcome = $ok, p.is_root = 1, {modelled}, count(*),"
    " count(CASE WHEN r.workload::VARCHAR = p.service THEN 1 END), {counts}"
    " FROM (SELECT s.service, q.rowid AS place,"
    " max(CASE WHEN s.span_id = q.root_span_id THEN 1 ELSE 0 END) AS is_root"
    " FROM read_parquet($paths) s JOIN {requests} q ON q.trace_key = s.trace_key"
    " WHERE s.record = 'span' GROUP BY s.service, q.rowid) p"
    " JOIN {requests} r ON r.rowid = p.place GROUP BY ALL"
)
_BY_LOG = (
    "SELECT r.source_kind, r.outcome = $ok, FALSE, {modelled}, count(*), 0, {counts},"
    " min(r.start_us), max(r.start_us) FROM {requests} r"
    " WHERE r.source_kind <> 'spans' GROUP BY ALL"
)


@dataclass(frozen=True, slots=True)
class RequestGroup:
    """Requests that a service has a span in, or that came without spans, alike in three ways.

    ``owner`` is a service, or ``row`` or ``events`` for those without spans. ``is_root``: their root
    span is the service's. ``is_modelled``: time of a model is known of them. ``known`` has for each
    of ``KNOWN_COLUMNS`` in how many it is; ``named_after`` counts those whose workload is the
    service's own name. ``first_us`` and ``last_us`` are UTC and only given for requests without spans.
    """

    owner: str
    is_ok: bool
    is_root: bool
    is_modelled: bool
    requests: int
    named_after: int
    known: dict[str, int]
    first_us: int | None = None
    last_us: int | None = None


def requests_by_service(table: RequestTable, paths: Sequence[str]) -> list[RequestGroup]:
    """All requests with spans, once for every service in them, load tests included.

    Raises StoreError when a segment cannot be read.
    """
    return _groups(table, _BY_SERVICE, {"paths": list(paths)}) if paths else []


def requests_without_spans(table: RequestTable) -> list[RequestGroup]:
    """Requests of request logs (owner ``row``) and event logs (``events``)."""
    return _groups(table, _BY_LOG, {})


def requests_in(groups: Iterable[RequestGroup]) -> int:
    """All requests of some groups."""
    return sum(group.requests for group in groups)


def known_in(groups: Iterable[RequestGroup], column: str) -> int:
    """In how many of their requests one of ``KNOWN_COLUMNS`` is known."""
    return sum(group.known[column] for group in groups)


def _groups(table: RequestTable, sql: str, values: dict[str, Any]) -> list[RequestGroup]:
    text = sql.format(requests=table.name, counts=_COUNTS, modelled=_MODELLED)
    try:
        with table.connection.cursor() as cursor:
            found = cursor.execute(text, {"ok": str(Outcome.OK), **values}).fetchall()
    except duckdb.Error as error:
        raise StoreError(
            f"the stored spans cannot be read ({str(error).splitlines()[0]}); run `tailbudget doctor`"
        ) from error
    return [_group(row) for row in found]


def _group(row: tuple[Any, ...]) -> RequestGroup:
    owner, is_ok, is_root, is_modelled, requests, named_after, *rest = row
    known = dict(zip(KNOWN_COLUMNS, rest[: len(KNOWN_COLUMNS)], strict=True))
    times = rest[len(KNOWN_COLUMNS) :]
    return RequestGroup(owner, is_ok, is_root, is_modelled, requests, named_after, known, *times)
