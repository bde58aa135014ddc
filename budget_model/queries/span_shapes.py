"""What the stored spans look like, in groups: who sends which names, attribute names and events.

A service sends millions of spans of a few shapes, so whatever is to be said of every span is said
of each shape once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import msgspec

from budget_model.errors import StoreError
from budget_model.queries.table import RequestTable
from budget_model.records.facts import Flag, Outcome
from budget_model.records.spans import Attributes, Span, SpanEvent

_attributes = msgspec.json.Decoder(dict[str, Any]).decode
_events = msgspec.json.Decoder(list[SpanEvent]).decode

_TRACES = (
    "SELECT trace_key, max(CASE WHEN outcome = $ok THEN 1 ELSE 0 END) AS ok,"
    " max(CASE WHEN outcome = $ok AND (flags & $unsplit) <> 0 THEN 1 ELSE 0 END) AS unsplit"
    " FROM {requests} GROUP BY trace_key"
)
_MARKS = (
    "list_sort(list_filter(list_distinct(json_extract_string(s.events, '$[*].name')),"
    " lambda event: list_contains($marks, event)))"
)
_SPANS = (
    "SELECT trace_key, service, name, kind, attributes, resource, events, start_ns,"
    " list_filter(json_keys(attributes), lambda name: list_contains($known, name)) AS present"
    " FROM read_parquet($paths) WHERE record = 'span'"
)
_SHAPES = (
    "SELECT s.service, s.name, s.kind, s.present,"
    " CASE WHEN len(list_filter(s.present, lambda name: list_contains($compared, name))) > 0"
    " THEN json_extract_string(s.attributes, $pointers) END AS compared,"
    " CASE WHEN s.events IS NOT NULL THEN {marks} END AS marked,"
    " arg_min(s.attributes, s.start_ns), arg_min(s.resource, s.start_ns), arg_min(s.events, s.start_ns),"
    " count(*), sum(t.ok), sum(t.unsplit), min(s.start_ns), max(s.start_ns)"
    " FROM ({spans}) s JOIN ({traces}) t ON s.trace_key = t.trace_key"
    " GROUP BY s.service, s.name, s.kind, s.present, compared, marked"
)
_RESOURCES = (
    "SELECT service, resource, count(*), min(start_ns), max(start_ns) FROM read_parquet($paths)"
    " WHERE record = 'span' GROUP BY service, resource"
)
_TRANSITS = (
    "SELECT c.service, c.name, count(*), min(c.start_ns), max(c.start_ns) FROM read_parquet($paths) c"
    " JOIN read_parquet($paths) s ON s.trace_key = c.trace_key AND s.parent_id = c.span_id"
    " WHERE c.record = 'span' AND c.kind = 'CLIENT' AND list_contains($names, c.name)"
    " AND s.kind = 'SERVER' AND s.service <> c.service GROUP BY c.service, c.name"
)


@dataclass(frozen=True, slots=True)
class SpanShape:
    """Spans that rules cannot tell apart. ``example`` is one of them, with what rules look at.

    ``ok`` are those in the trace of an ok request, ``unsplit`` those of them in a request that holds
    a call of a model nothing splits. Times are UTC nanoseconds. Records that came in several
    versions count each.
    """

    example: Span
    spans: int
    ok: int
    unsplit: int
    first_ns: int
    last_ns: int


@dataclass(frozen=True, slots=True)
class ResourceUse:
    """One resource of one service, and the spans that carry it; times are UTC nanoseconds."""

    service: str
    resource: Attributes
    spans: int
    first_ns: int
    last_ns: int


@dataclass(frozen=True, slots=True)
class Transit:
    """CLIENT spans of a name that have a SERVER span of another service below them."""

    service: str
    name: str
    spans: int
    first_ns: int
    last_ns: int


def span_shapes(
    table: RequestTable,
    paths: Sequence[str],
    *,
    known: Iterable[str],
    compared: Iterable[str],
    marks: Iterable[str],
) -> list[SpanShape]:
    """Shapes of all spans whose request counts, by service and name.

    Spans are of one shape when they have the same name, service and kind, the same of the attributes
    ``known``, the same values of those ``compared`` (some of ``known``) and the same of the events
    ``marks``. Raises StoreError when a segment cannot be read.
    """
    names = sorted(compared)
    sql = _SHAPES.format(marks=_MARKS, spans=_SPANS, traces=_TRACES.format(requests=table.name))
    values = {
        "ok": str(Outcome.OK),
        "unsplit": int(Flag.LLM_CALL_NOT_SPLIT),
        "known": sorted(known),
        "compared": names,
        "pointers": [_pointer(name) for name in names],
        "marks": sorted(marks),
    }
    return sorted(map(_shape, _fetch(table, sql, paths, values)), key=_by_service_and_name)


def resource_uses(table: RequestTable, paths: Sequence[str]) -> list[ResourceUse]:
    """Every resource of every service. Raises StoreError when a segment cannot be read."""
    found = _fetch(table, _RESOURCES, paths, {})
    return [ResourceUse(service, _attributes(text), *rest) for service, text, *rest in found]


def transits(table: RequestTable, paths: Sequence[str], names: Iterable[str]) -> list[Transit]:
    """CLIENT spans with one of ``names`` that were answered by another service. Raises StoreError."""
    asked = sorted(set(names))
    return [Transit(*row) for row in _fetch(table, _TRANSITS, paths, {"names": asked})] if asked else []


def _fetch(
    table: RequestTable, sql: str, paths: Sequence[str], values: dict[str, Any]
) -> list[tuple[Any, ...]]:
    if not paths:
        return []
    try:
        with table.connection.cursor() as cursor:
            return cursor.execute(sql, {"paths": list(paths), **values}).fetchall()
    except duckdb.Error as error:
        raise StoreError(
            f"the stored spans cannot be read ({str(error).splitlines()[0]}); run `tailbudget doctor`"
        ) from error


def _shape(row: tuple[Any, ...]) -> SpanShape:
    service, name, kind, _, _, marked, attributes, resource, events, *counts = row
    spans, ok, unsplit, first_ns, last_ns = counts
    example = Span(
        trace_id="",
        span_id="",
        parent_id="",
        name=name,
        kind=kind,
        service=service,
        host="",
        start_ns=first_ns,
        end_ns=None,
        status="UNSET",
        status_message="",
        attributes=_attributes(attributes),
        resource=_attributes(resource),
        events=[one for one in _events(events) if one.name in marked] if events and marked else [],
    )
    return SpanShape(example, spans, int(ok), int(unsplit), first_ns, last_ns)


def _by_service_and_name(shape: SpanShape) -> tuple[str, str, int]:
    return shape.example.service, shape.example.name, shape.first_ns


def _pointer(name: str) -> str:
    """A name as a JSON pointer, in which dots and quotes mean nothing."""
    return "/" + name.replace("~", "~0").replace("/", "~1")
