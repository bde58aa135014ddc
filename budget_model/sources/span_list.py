"""Flat lists of spans: ``{"trace_id": ..., "spans": [...]}``, several of these, or a bare list of spans."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from budget_model.records.raw import Piece, RawRecord, ReadOptions, Sourced
from budget_model.records.rejects import Reject, excerpt
from budget_model.sources.json_items import documents_of, items


class _List(msgspec.Struct):
    """An object that holds spans, or one that is a span itself."""

    spans: list[msgspec.Raw] | None = None
    trace_id: str = ""


def read(piece: Piece, options: ReadOptions) -> Iterator[Sourced]:
    """The spans; each payload is the JSON text of one and the trace id given around it."""
    for document in documents_of(piece, options):
        if isinstance(document, Reject):
            yield document
            continue
        found = [span for item in items(document.payload) for span in _spans(item, document.where)]
        for number, span in enumerate(found, 1):
            yield span if isinstance(span, Reject) else RawRecord(f"{document.where}, span {number}", span)


def _spans(item: bytes, where: str) -> Iterator[tuple[bytes, str] | Reject]:
    try:
        found = msgspec.json.decode(item, type=_List)
    except msgspec.DecodeError as error:
        yield Reject(where, excerpt(item), f"neither a span nor a list of spans ({error})")
        return
    if found.spans is None:
        yield item, ""
        return
    for span in found.spans:
        yield bytes(span), found.trace_id
