"""The exact columns of the Parquet segments. Readers and writers agree here and nowhere else.

Four kinds of segment exist:

- ``requests``: one row a request, wide; durations are whole microseconds, null is "not recorded".
- ``token_gaps``: token steps inside one request's stream.
- ``spans``: every accepted span record, nanoseconds exactly as sent, in trace order within a row
  group. Two versions of one span may both be here; readers deduplicate.
- ``superseded``: trace keys whose ``requests`` and ``token_gaps`` rows in segments of an EARLIER
  generation are replaced by rows of this segment's generation.
"""

from __future__ import annotations

from enum import StrEnum

import pyarrow as pa

from budget_model.domain.hops import HOPS, MEASURED_HOPS
from budget_model.records.raw import SETTABLE


class Kind(StrEnum):
    """What a segment holds."""

    REQUESTS = "requests"
    TOKEN_GAPS = "token_gaps"
    SPANS = "spans"
    SUPERSEDED = "superseded"


PATH_COLUMNS: tuple[str, ...] = tuple(f"path_{hop.value}_us" for hop in HOPS)
"""Path times in ``HOPS`` order; the values that are not null add to ``e2e_us`` exactly."""

WALL_COLUMNS: tuple[str, ...] = tuple(f"wall_{hop.value}_us" for hop in MEASURED_HOPS)
"""Wall times in ``MEASURED_HOPS`` order: ``unattributed`` has none."""

_LABEL = pa.dictionary(pa.int32(), pa.string())
_US = pa.int64()


def _required(name: str, kind: pa.DataType) -> pa.Field:
    return pa.field(name, kind, nullable=False)


REQUESTS: pa.Schema = pa.schema(
    [
        _required("request_id", pa.string()),
        _required("trace_id", pa.string()),
        _required("trace_key", pa.int64()),
        _required("root_span_id", pa.string()),
        _required("root_name", _LABEL),
        _required("source_kind", _LABEL),
        _required("outcome", _LABEL),
        pa.field("start_us", _US),
        *(pa.field(name, _LABEL) for name in SETTABLE),
        pa.field("prompt_tokens", pa.int64()),
        pa.field("output_tokens", pa.int64()),
        _required("attempts", pa.int32()),
        _required("span_count", pa.int32()),
        _required("error_span_count", pa.int32()),
        _required("flags", pa.int32()),
        pa.field("e2e_us", _US),
        pa.field("ttft_us", _US),
        pa.field("first_answer_us", _US),
        pa.field("generation_us", _US),
        pa.field("tpot_us", _US),
        *(pa.field(name, _US) for name in PATH_COLUMNS),
        *(pa.field(name, _US) for name in WALL_COLUMNS),
        _required("digest", pa.int64()),
    ]
)
"""One row a request: the fields of ``RequestFact`` with the two hop lists as columns."""

TOKEN_GAPS: pa.Schema = pa.schema(
    [
        _required("request_id", pa.string()),
        _required("trace_key", pa.int64()),
        _required("gap_us", _US),
        _required("tokens", pa.int64()),
    ]
)
"""``tokens`` steps of ``gap_us`` microseconds each in one request's stream."""

SPANS: pa.Schema = pa.schema(
    [
        _required("trace_key", pa.int64()),
        _required("trace_id", pa.string()),
        _required("span_id", pa.string()),
        _required("parent_id", pa.string()),
        _required("name", _LABEL),
        _required("kind", _LABEL),
        _required("service", _LABEL),
        _required("host", _LABEL),
        _required("start_ns", pa.int64()),
        pa.field("end_ns", pa.int64()),
        _required("status", _LABEL),
        _required("status_message", pa.string()),
        _required("attributes", pa.string()),
        _required("resource", _LABEL),
        pa.field("events", pa.string()),
        _required("is_async", pa.bool_()),
        _required("record", _LABEL),
    ]
)
"""One row a span record; ``attributes``, ``resource`` and ``events`` are JSON text."""

SUPERSEDED: pa.Schema = pa.schema([_required("trace_key", pa.int64())])
"""Trace keys whose older request and gap rows no longer count."""

SCHEMAS: dict[Kind, pa.Schema] = {
    Kind.REQUESTS: REQUESTS,
    Kind.TOKEN_GAPS: TOKEN_GAPS,
    Kind.SPANS: SPANS,
    Kind.SUPERSEDED: SUPERSEDED,
}
"""The schema of every kind of segment."""
