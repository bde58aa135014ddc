"""Files of runs: an answer of MLflow's runs/search, or a table of ``mlflow.search_runs``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from budget_model.errors import SourceError, UnknownFormatError
from budget_model.records.mlflow import Run
from budget_model.records.raw import Piece, RawRecord, ReadOptions
from budget_model.records.rejects import Reject, Warned, excerpt, why_not_json
from budget_model.sources import documents, table_rows
from budget_model.sources.csv_records import records
from budget_model.sources.mlflow.runs_wire import RunOnWire, number, run_of
from budget_model.sources.streams import opened

_COMPRESSED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_ID, _METRIC, _PARAM, _TAG = "run_id", "metrics.", "params.", "tags."
_NAME = "mlflow.runName"


class _Answer(msgspec.Struct):
    runs: list[msgspec.Raw]


def read(path: Path, options: ReadOptions | None = None) -> Iterator[Run | Reject]:
    """The runs of a file, and a Reject for each that cannot be read as one.

    Raises SourceError in one sentence when the file cannot be opened or holds no runs.
    """
    options = options or ReadOptions()
    piece = _piece(path)
    if piece.container == "json":
        yield from _documents(piece, options)
    else:
        yield from _rows(piece, options)


def _piece(path: Path) -> Piece:
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise SourceError(f"{path.name}: cannot be opened ({error.strerror})") from error
    if magic == b"PAR1":
        return Piece(str(path), "mlflow-runs", "parquet")
    compression = next((name for start, name in _COMPRESSED.items() if magic.startswith(start)), "none")
    with opened(path, compression) as stream:
        head = stream.read(1024).removeprefix(b"\xef\xbb\xbf").lstrip()
    container = "json" if head[:1] in (b"{", b"[") else "csv"
    return Piece(str(path), "mlflow-runs", container, compression)


def _documents(piece: Piece, options: ReadOptions) -> Iterator[Run | Reject]:
    content = documents.content_of(piece, options)
    try:
        found = msgspec.json.decode(content, type=_Answer | list[msgspec.Raw])
    except (msgspec.DecodeError, RecursionError) as error:
        raise _no_runs(piece, why_not_json(error)) from error
    for place, raw in enumerate(found if isinstance(found, list) else found.runs, 1):
        try:
            yield run_of(msgspec.json.decode(raw, type=RunOnWire))
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            yield Reject(f"run {place}", excerpt(raw), f"the run cannot be read: {error}")


def _rows(piece: Piece, options: ReadOptions) -> Iterator[Run | Reject]:
    if _ID not in _columns(piece):
        raise _no_runs(piece, f"it has no column {_ID}")
    for row in table_rows.rows(piece, options):
        if isinstance(row, RawRecord):
            yield _run(row)
        elif not isinstance(row, Warned):
            yield row


def _columns(piece: Piece) -> Sequence[str]:
    path = Path(piece.path)
    if piece.container == "parquet":
        try:
            return list(pq.read_schema(path).names)
        except (pa.ArrowException, OSError) as error:
            raise SourceError(f"{path.name}: the Parquet file is damaged ({error})") from error
    with opened(path, piece.compression) as stream:
        header = next(records(stream, path.name), None)
    return [] if header is None or isinstance(header, Reject) else header[1]


def _no_runs(piece: Piece, why: str) -> UnknownFormatError:
    return UnknownFormatError(
        f"{Path(piece.path).name}: holds no MLflow runs ({why}); an answer of runs/search (JSON) or a table "
        "of mlflow.search_runs (CSV, Parquet) is accepted"
    )


def _run(row: RawRecord) -> Run | Reject:
    cells = {name: value for name, value in row.payload.items() if not _is_missing(value)}
    try:
        tags = _texts(cells, _TAG)
        return Run(
            run_id=str(cells.get(_ID, "")),
            experiment_id=str(cells.get("experiment_id", "")),
            name=tags.get(_NAME, ""),
            status=str(cells.get("status", "")),
            lifecycle=str(cells.get("lifecycle_stage", "active")),
            start_ms=_time_ms(cells.get("start_time")),
            end_ms=_time_ms(cells.get("end_time")),
            metrics={name: number(value) for name, value in _part(cells, _METRIC).items()},
            params=_texts(cells, _PARAM),
            tags=tags,
        )
    except (ValueError, TypeError, ArithmeticError) as error:
        return Reject(row.where, excerpt(cells.get(_ID)), f"the run cannot be read: {error}")


def _is_missing(value: Any) -> bool:
    # A table of pandas has NaN where a run did not log what others did.
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _part(cells: dict[str, Any], prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): value for name, value in cells.items() if name.startswith(prefix)}


def _texts(cells: dict[str, Any], prefix: str) -> dict[str, str]:
    return {name: str(value) for name, value in _part(cells, prefix).items()}


def _time_ms(value: Any) -> int | None:
    if value is None:
        return None
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)
