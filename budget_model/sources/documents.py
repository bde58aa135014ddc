"""A file that is one JSON document, read whole up to a stated size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from budget_model.errors import SourceError
from budget_model.records.raw import Piece, RawRecord, ReadOptions
from budget_model.records.rejects import why_not_json
from budget_model.sources.streams import opened

_BOM = b"\xef\xbb\xbf"
_CHUNK = 1024 * 1024


def read(piece: Piece, options: ReadOptions) -> Iterator[RawRecord]:
    """The document's bytes as one record, once it is known to be whole.

    Raises SourceError when it is larger than ``options.max_document_bytes`` or no whole JSON value.
    """
    content = content_of(piece, options)
    _check_whole(content, Path(piece.path).name)
    yield RawRecord("document", content)


def decoded(piece: Piece, options: ReadOptions) -> Any:
    """The document as Python values. Raises SourceError as ``read`` does."""
    content = content_of(piece, options)
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _refusal(Path(piece.path).name, error) from error


def content_of(piece: Piece, options: ReadOptions) -> bytes:
    """All bytes of the file without a byte order mark. Raises SourceError when there are too many."""
    limit = options.max_document_bytes
    content = bytearray()
    with opened(Path(piece.path), piece.compression, options.max_output_bytes) as stream:
        while chunk := stream.read(_CHUNK):
            content += chunk
            if len(content) > limit:
                raise SourceError(
                    f"{Path(piece.path).name}: one document of more than {limit:,} bytes is not read; "
                    "write it as JSON lines, one export request a line"
                )
    return bytes(content.removeprefix(_BOM))


def _check_whole(content: bytes, name: str) -> None:
    try:
        msgspec.json.decode(content, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _refusal(name, error) from error


def _refusal(name: str, error: Exception) -> SourceError:
    return SourceError(f"{name}: {why_not_json(error)}; nothing of it was imported")
