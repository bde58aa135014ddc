"""JSON files that hold spans or traces: one document, or a document a line, with the items left as bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec

from budget_model.errors import SourceError
from budget_model.records.raw import Piece, RawRecord, ReadOptions
from budget_model.records.rejects import Reject, excerpt
from budget_model.sources import documents, lines

_list = msgspec.json.Decoder(list[msgspec.Raw]).decode
_raw = msgspec.json.Decoder(msgspec.Raw).decode


def documents_of(piece: Piece, options: ReadOptions) -> Iterator[RawRecord | Reject]:
    """Each JSON document as bytes that are known to be whole; a line that is none is refused alone."""
    if piece.container != "jsonl":
        yield from documents.read(piece, options)
        return
    for line in lines.read(piece, options):
        yield line if isinstance(line, Reject) else _checked(line)


def _checked(line: RawRecord) -> RawRecord | Reject:
    try:
        _raw(line.payload)
    except (msgspec.DecodeError, RecursionError) as error:
        return Reject(line.where, excerpt(line.payload), f"the line is no JSON ({error})")
    return line


def is_list(content: bytes) -> bool:
    """Whether a JSON document is a list."""
    return content.lstrip()[:1] == b"["


def items(content: bytes) -> list[bytes]:
    """The elements of a JSON list, or the document itself when it is none."""
    if not is_list(content):
        return [content]
    return [bytes(item) for item in _list(content)]


def one_after_another(piece: Piece, options: ReadOptions) -> Iterator[RawRecord | Reject]:
    """As ``documents_of``, and also documents that merely follow one another, as a console prints them.

    Raises SourceError when the text ends within a document or holds something else between them.
    """
    if piece.container == "jsonl":
        yield from documents_of(piece, options)
        return
    content = documents.content_of(piece, options)
    try:
        _raw(content)
    except (msgspec.DecodeError, RecursionError):
        yield from _split(content, Path(piece.path).name)
    else:
        yield RawRecord("document", content)


def _split(content: bytes, name: str) -> Iterator[RawRecord]:
    decoder = json.JSONDecoder()
    text = content.decode("utf-8", "replace")
    place = number = 0
    while text[place:].strip():
        place += len(text[place:]) - len(text[place:].lstrip())
        number += 1
        try:
            _, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            whole = f"document {number} is not whole JSON ({error}); nothing was imported"
            raise SourceError(f"{name}: {whole}") from error
        yield RawRecord(f"document {number}", text[place:end].encode())
        place = end
