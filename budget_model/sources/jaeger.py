"""Jaeger JSON: the query API's answer, its ``data`` as a list or an object, or a bare trace.

https://www.jaegertracing.io/docs/latest/apis/
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from budget_model.errors import SourceError
from budget_model.records.raw import Piece, RawRecord, ReadOptions, Sourced
from budget_model.records.rejects import Reject, excerpt
from budget_model.sources.json_items import documents_of, items

NO_PROCESS = b"null"


class _Answer(msgspec.Struct):
    """The query API's answer."""

    data: msgspec.Raw = msgspec.Raw(b"")
    errors: msgspec.Raw = msgspec.Raw(b"")


class _Trace(msgspec.Struct):
    """A trace."""

    spans: list[msgspec.Raw]
    processes: dict[str, msgspec.Raw] | None = None


class _SpanHead(msgspec.Struct):
    """What leads from a span to its process."""

    processID: str = ""  # noqa: N815  the wire's own spelling
    process: msgspec.Raw = msgspec.Raw(NO_PROCESS)


def read(piece: Piece, options: ReadOptions) -> Iterator[Sourced]:
    """The spans; each payload is the JSON of the span and of its process (``null`` when unknown).

    Raises SourceError when the answer holds no trace.
    """
    for document in documents_of(piece, options):
        if isinstance(document, Reject):
            yield document
        else:
            yield from _spans(document, Path(piece.path).name)


def _spans(document: RawRecord, name: str) -> Iterator[Sourced]:
    number = 0
    for trace_number, trace_json in enumerate(_traces(document.payload, name), 1):
        try:
            trace = msgspec.json.decode(trace_json, type=_Trace)
        except msgspec.DecodeError as error:
            where = f"{document.where}, trace {trace_number}"
            yield Reject(where, excerpt(trace_json), f"a Jaeger trace must hold a list of spans ({error})")
            continue
        for span in trace.spans:
            number += 1
            yield RawRecord(f"{document.where}, span {number}", (bytes(span), _process(bytes(span), trace)))


def _traces(content: bytes, name: str) -> list[bytes]:
    if content.lstrip()[:1] == b"[":
        return items(content)
    answer = msgspec.json.decode(content, type=_Answer)
    data, said = bytes(answer.data), bytes(answer.errors)
    if not data:
        return [content]
    traces = [] if data == b"null" else items(data)
    if not traces:
        errors = f"; Jaeger said {excerpt(said)}" if said not in (b"", b"null") else ""
        raise SourceError(f"{name}: Jaeger's answer holds no trace{errors}")
    return traces


def _process(span: bytes, trace: _Trace) -> bytes:
    try:
        head = msgspec.json.decode(span, type=_SpanHead)
    except msgspec.DecodeError:
        return NO_PROCESS
    return bytes((trace.processes or {}).get(head.processID, head.process))
