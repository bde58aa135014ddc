"""Trace exports of MLflow: a trace a line, a list of traces, one trace, or traces one after another."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import msgspec

from budget_model.errors import SourceError
from budget_model.records.raw import Piece, RawRecord, ReadOptions, Sourced
from budget_model.records.rejects import Reject, excerpt
from budget_model.sources import documents, lines
from budget_model.sources.json_items import is_list, items, one_after_another

_NEXT = re.compile(r",\s*(?=\{\s*\"(?:info|trace|trace_info|data|spans)\"\s*:)")
"""Where another element of a list of traces begins."""

_raw = msgspec.json.Decoder(msgspec.Raw).decode


def read(piece: Piece, options: ReadOptions) -> Iterator[Sourced]:
    """The traces, each payload the JSON text of one; lines are not looked into.

    A list with an element that is no JSON gives its other elements and a Reject for that one.
    """
    if piece.container == "jsonl":
        yield from lines.read(piece, options)
        return
    content = documents.content_of(piece, options)
    if is_list(content) and not _is_whole(content):
        yield from _salvaged(content)
        return
    for document in one_after_another(piece, options):
        yield from [document] if isinstance(document, Reject) else _elements(document)


def _is_whole(content: bytes) -> bool:
    try:
        _raw(content)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _elements(document: RawRecord) -> Iterator[RawRecord]:
    if not is_list(document.payload):
        yield document
        return
    for number, trace in enumerate(items(document.payload), 1):
        yield RawRecord(f"trace {number}", trace)


def _salvaged(content: bytes) -> Iterator[Sourced]:
    """The elements that are whole; after one that is not, reading goes on where the next begins.

    Raises SourceError when the list is cut short: half a file is not to be taken for the whole.
    """
    text = content.decode("utf-8", "replace").rstrip()
    if not text.endswith("]"):
        raise SourceError("the list of traces ends in the middle, as half a file does; nothing was imported")
    decoder, place, number = json.JSONDecoder(), text.index("[") + 1, 0
    while text[place:].strip() not in ("", "]"):
        place += len(text[place:]) - len(text[place:].lstrip(" \t\r\n,"))
        number += 1
        try:
            _, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            yield Reject(
                f"trace {number}", excerpt(text[place : place + 200]), f"the trace is no JSON ({error})"
            )
            found = _NEXT.search(text, place)
            place = found.start() if found else len(text)
        else:
            yield RawRecord(f"trace {number}", text[place:end].encode())
            place = end
