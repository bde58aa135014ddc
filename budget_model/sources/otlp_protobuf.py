"""OTLP protobuf files: one export request, or the collector's length-prefixed messages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from budget_model.errors import SourceError
from budget_model.records.raw import Piece, RawRecord, ReadOptions
from budget_model.sources.protobuf_wire import WireError, delimited, resource_spans
from budget_model.sources.streams import opened


def read(piece: Piece, options: ReadOptions) -> Iterator[RawRecord]:
    """Each ResourceSpans of the file as bytes, read one at a time.

    Raises SourceError when the file is cut short or is no such message; what was yielded before
    then belongs to a file that is not whole.
    """
    walk = delimited if piece.container == "protobuf-delimited" else resource_spans
    with opened(Path(piece.path), piece.compression, options.max_output_bytes) as stream:
        try:
            for number, content in enumerate(walk(stream, options.max_document_bytes), 1):
                yield RawRecord(f"resource {number}", content)
        except WireError as error:
            raise SourceError(f"{Path(piece.path).name}: no whole OTLP protobuf file: {error}") from error
