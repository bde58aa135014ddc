"""Rows of a CSV, JSON lines or Parquet file, as cells by column name with their place in the file.

Cells of a CSV are text, those of JSON keep their type with fractions as exact decimals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from budget_model.errors import SourceError
from budget_model.records.raw import Piece, RawRecord, ReadOptions
from budget_model.records.rejects import Reject, Warned, excerpt
from budget_model.sources import documents, lines
from budget_model.sources.csv_records import Record, records
from budget_model.sources.streams import disk_position, opened

_BATCH_ROWS = 4096

_decode = msgspec.json.Decoder(float_hook=Decimal).decode

Rows = Iterator[RawRecord | Reject | Warned]


def rows(piece: Piece, options: ReadOptions) -> Rows:
    """The rows of a table; the payload is a dict. Raises SourceError when it cannot be read at all."""
    readers: dict[str, Callable[[Piece, ReadOptions], Rows]] = {
        "csv": _csv_rows,
        "jsonl": _json_lines,
        "json": _json_list,
        "parquet": _parquet_rows,
    }
    return readers[piece.container](piece, options)


def _csv_rows(piece: Piece, options: ReadOptions) -> Rows:
    name = Path(piece.path).name
    with opened(Path(piece.path), piece.compression, options.max_output_bytes) as stream:
        found = records(stream, name)
        header = next(found, None)
        if header is None or isinstance(header, Reject):
            raise SourceError(f"{name}: has no header line that can be read")
        columns = _columns(header[1], name)
        if "" in columns:
            yield Warned("unnamed-column", 1, f"{name}: a column without a name is left out")
        for record in found:
            if isinstance(record, Reject):
                yield record
            else:
                yield _csv_row(record, columns, disk_position(stream))


def _columns(header: list[str], name: str) -> list[str]:
    columns = [column.strip() for column in header]
    twice = next((column for column in columns if column and columns.count(column) > 1), None)
    if twice is not None:
        raise SourceError(
            f"{name}: the column {excerpt(twice)!r} stands in the header twice; each may be there once"
        )
    return columns


def _csv_row(record: Record, columns: list[str], bytes_read: int) -> RawRecord | Reject:
    line, cells = record
    where = f"line {line}"
    if len(cells) != len(columns):
        reason = f"the row has {len(cells)} fields where the header has {len(columns)}"
        return Reject(where, excerpt(",".join(cells)), reason)
    text = "".join(cells)
    if not text.isascii() and any("\udc80" <= char <= "\udcff" for char in text):
        shown = ",".join(cells).encode("utf-8", "surrogateescape")
        return Reject(where, excerpt(shown), "the row is not valid UTF-8 text")
    if "\0" in text:
        return Reject(where, excerpt(",".join(cells).replace("\0", "\\0")), "the row holds NUL bytes")
    named = {column: cell for column, cell in zip(columns, cells, strict=True) if column}
    return RawRecord(where, named, bytes_read)


def _json_lines(piece: Piece, options: ReadOptions) -> Rows:
    for line in lines.read(piece, options):
        yield line if isinstance(line, Reject) else _json_row(line)


def _json_row(line: RawRecord) -> RawRecord | Reject:
    try:
        value = _decode(line.payload)
    except (msgspec.DecodeError, RecursionError, ArithmeticError) as error:
        return Reject(line.where, excerpt(line.payload), f"the line is no JSON ({error})")
    return _object(line.where, value, line.bytes_read)


def _object(where: str, value: Any, bytes_read: int = 0) -> RawRecord | Reject:
    if isinstance(value, dict):
        return RawRecord(where, value, bytes_read)
    return Reject(where, excerpt(value), "a row must be a JSON object")


def _json_list(piece: Piece, options: ReadOptions) -> Rows:
    content = documents.content_of(piece, options)
    try:
        value = _decode(content)
    except (msgspec.DecodeError, RecursionError, ArithmeticError) as error:
        raise SourceError(
            f"{Path(piece.path).name}: not valid JSON ({error}); nothing of it was imported"
        ) from error
    for number, row in enumerate(value if isinstance(value, list) else [value], 1):
        yield _object(f"row {number}", row)


def _parquet_rows(piece: Piece, _: ReadOptions) -> Rows:
    name = Path(piece.path).name
    number = 0
    try:
        with pq.ParquetFile(piece.path) as file:
            _columns(file.schema_arrow.names, name)
            for batch in file.iter_batches(batch_size=_BATCH_ROWS):
                for row in _exact(batch).to_pylist():
                    number += 1
                    yield RawRecord(f"row {number}", row)
    except (pa.ArrowException, OSError) as error:
        raise SourceError(
            f"{name}: the Parquet file is damaged ({error}); nothing of it was imported"
        ) from error


def _exact(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Moments in nanoseconds as ISO text, since Python's own type holds microseconds only."""
    for index, field in enumerate(batch.schema):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            batch = batch.set_column(index, field.name, batch.column(index).cast(pa.string()))
    return batch
