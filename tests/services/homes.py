"""Small homes and OTLP files for tests of the services that write."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from budget_model.cli import app
from budget_model.services.import_report import Counts
from budget_model.settings import Settings, load_settings
from budget_model.store.compaction import live_rows
from budget_model.store.ledger import Ledger
from budget_model.store.schema import Kind

START_NS = 1_764_547_200_000_000_000
MS = 1_000_000


def home(folder: Path, workers: int = 2) -> Settings:
    return load_settings(folder, {"TAILBUDGET_WORKERS": str(workers)})


def span(trace: int, place: int, **changes: Any) -> dict[str, Any]:
    """One of the spans of a small request: a root (place 0) with a queue, a prefill and a decode."""
    names = ("POST /v1/chat/completions", "queue", "prefill", "decode")
    start, stop = ((0, 100), (5, 15), (15, 30), (30, 90))[place]
    base_ns = START_NS + trace * 1000 * MS
    return {
        "traceId": f"{trace + 1:032x}",
        "spanId": f"{trace * 16 + place + 1:016x}",
        "parentSpanId": f"{trace * 16 + 1:016x}" if place else "",
        "name": names[place],
        "kind": 2,
        "startTimeUnixNano": str(base_ns + start * MS),
        "endTimeUnixNano": str(base_ns + (stop + trace % 7) * MS),
        "attributes": [{"key": "tenant.id", "value": {"stringValue": f"t{trace % 3}"}}],
    } | changes


def traces(numbers: Iterable[int]) -> list[dict[str, Any]]:
    return [span(trace, place) for trace in numbers for place in range(4)]


def write(path: Path, spans: Sequence[dict[str, Any]], spans_a_line: int = 3) -> Path:
    """OTLP JSON lines; three spans a line, so that traces of four straddle lines."""
    lines = [spans[start : start + spans_a_line] for start in range(0, len(spans), spans_a_line)]
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "assistant"}}]}
    with path.open("w", encoding="utf-8") as file:
        for line in lines:
            scope = {"scope": {"name": "test"}, "spans": line}
            file.write(json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}) + "\n")
    return path


def requests_of(settings: Settings) -> pa.Table:
    """The requests that count, in the order of their ids."""
    return _facts(settings, Kind.REQUESTS).sort_by("request_id")


def gaps_of(settings: Settings) -> pa.Table:
    return _facts(settings, Kind.TOKEN_GAPS).sort_by([("request_id", "ascending"), ("gap_us", "ascending")])


def listed(folder: Path) -> list[str]:
    """Names in a folder, hidden ones too; empty when there is none."""
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def _facts(settings: Settings, kind: Kind) -> pa.Table:
    ledger = Ledger(settings)
    manifest = ledger.manifest()
    tables = list(live_rows(manifest.of(kind), manifest.of(Kind.SUPERSEDED)))
    ledger.close()
    table = pa.concat_tables(tables) if tables else pa.table({"request_id": pa.array([], pa.string())})
    plain = pa.schema([pa.field(field.name, _plain(field.type)) for field in table.schema])
    return table.cast(plain).combine_chunks()


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def run_command(arguments: list[str]) -> None:
    """The ``tailbudget`` command in a process of its own, silent."""
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):  # noqa: PTH123
        app(arguments)


def stored_spans(settings: Settings) -> int:
    ledger = Ledger(settings)
    paths = ledger.manifest().paths(Kind.SPANS)
    ledger.close()
    return sum(pq.ParquetFile(path).metadata.num_rows for path in paths)


def balanced(counts: Counts) -> bool:
    return counts.records == (counts.accepted + counts.rejected + counts.duplicates + counts.already_known)
