"""Records as Arrow tables and back, column by column: no dict a row on either way."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from budget_model.domain.hops import HOPS
from budget_model.records.facts import RequestFact, TokenGap
from budget_model.records.spans import Span, SpanEvent
from budget_model.store.schema import PATH_COLUMNS, REQUESTS, SPANS, TOKEN_GAPS, WALL_COLUMNS

_encode = msgspec.json.Encoder(order="deterministic").encode
_attributes = msgspec.json.Decoder(dict[str, Any]).decode
_events = msgspec.json.Decoder(list[SpanEvent]).decode

_SPAN_FIELDS = ("trace_id", "span_id", "parent_id", "name", "kind", "service", "host", "start_ns", "end_ns")
_SPAN_TEXTS = ("status", "status_message")
_FACT_FIELDS = tuple(name for name in RequestFact.__struct_fields__ if name not in ("path_us", "wall_us"))


def spans_table(spans: Sequence[Span], trace_keys: NDArray[np.int64]) -> pa.Table:
    """Spans as rows of ``schema.SPANS`` in the given order; ``trace_keys`` has shape (n,).

    Attributes are written in order of name, so equal spans are equal rows.
    """
    columns = _columns(Span.__struct_fields__, spans)
    columns["trace_key"] = trace_keys
    columns["attributes"] = _shared_json(columns["attributes"])
    columns["resource"] = _shared_json(columns["resource"])
    columns["events"] = [_encode(events) if events else None for events in columns["events"]]
    return _table(SPANS, columns)


def _columns(fields: Sequence[str], records: Sequence[msgspec.Struct]) -> dict[str, Any]:
    rows = map(msgspec.structs.astuple, records)
    found = dict(zip(fields, zip(*rows, strict=True), strict=False))
    return found or dict.fromkeys(fields, ())


def _shared_json(values: Sequence[dict[str, Any]]) -> list[bytes]:
    # Spans of one resource share one dict, and often attributes too: each is written as JSON once.
    ids = list(map(id, values))
    written = {key: _encode(value) for key, value in dict(zip(ids, values, strict=True)).items()}
    return list(map(written.__getitem__, ids))


def span_digests(table: pa.Table) -> NDArray[np.int64]:
    """A 64-bit fingerprint of everything in each span row, ids included; shape (rows,).

    Only rows that are suspected to be repeats are ever compared, so fingerprints are not stored.
    """
    columns = (table.column(name).to_pylist() for name in SPANS.names if name != "trace_key")
    contents = (repr(row).encode("utf-8", "surrogatepass") for row in zip(*columns, strict=True))
    digests = [blake2b(content, digest_size=8).digest() for content in contents]
    return np.frombuffer(b"".join(digests), dtype="<i8").astype(np.int64)


def spans_of(table: pa.Table) -> list[Span]:
    """The spans of a table with (at least) the columns of ``schema.SPANS``, in row order."""
    columns = [table.column(name).to_pylist() for name in _SPAN_FIELDS + _SPAN_TEXTS]
    attributes = [_attributes(text) for text in table.column("attributes").to_pylist()]
    written = table.column("resource").to_pylist()
    resources = {text: _attributes(text) for text in set(written)}
    events = [_events(text) if text else [] for text in table.column("events").to_pylist()]
    marks = (table.column(name).to_pylist() for name in ("is_async", "record"))
    shared = [resources[text] for text in written]
    return [Span(*row) for row in zip(*columns, attributes, shared, events, *marks, strict=True)]


def facts_table(facts: Sequence[RequestFact]) -> pa.Table:
    """Request facts as rows of ``schema.REQUESTS``, in the given order."""
    columns = _columns(RequestFact.__struct_fields__, facts)
    for names, times in ((PATH_COLUMNS, columns["path_us"]), (WALL_COLUMNS, columns["wall_us"])):
        columns |= zip(names, zip(*times, strict=True), strict=False) if times else dict.fromkeys(names, ())
    return _table(REQUESTS, columns)


def facts_of(table: pa.Table) -> list[RequestFact]:
    """The request facts of a table with the columns of ``schema.REQUESTS``, in row order."""
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    missing = [None] * (len(HOPS) - len(WALL_COLUMNS))
    return [
        RequestFact(
            **{name: columns[name][row] for name in _FACT_FIELDS},
            path_us=[columns[name][row] for name in PATH_COLUMNS],
            wall_us=[columns[name][row] for name in WALL_COLUMNS] + missing,
        )
        for row in range(table.num_rows)
    ]


def gaps_table(gaps: Sequence[TokenGap]) -> pa.Table:
    """Token gaps as rows of ``schema.TOKEN_GAPS``, in the given order."""
    return _table(TOKEN_GAPS, _columns(TokenGap.__struct_fields__, gaps))


def _table(schema: pa.Schema, columns: dict[str, Any]) -> pa.Table:
    arrays = [_array(columns[field.name], field.type) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def _array(values: Any, kind: pa.DataType) -> pa.Array:
    if not pa.types.is_dictionary(kind):
        return pa.array(values, kind)
    if len(values) and values[0] is not None and values.count(values[0]) == len(values):
        codes = pa.array(np.zeros(len(values), np.int32))
        return pa.DictionaryArray.from_arrays(codes, pa.array(values[:1], kind.value_type))
    return pa.array(values, kind.value_type).dictionary_encode().cast(kind)
