"""Spans as OpenTelemetry SDKs print them (``span.to_json``): a list, a line each, or one after another."""

from __future__ import annotations

from collections.abc import Iterator

from budget_model.records.raw import Piece, RawRecord, ReadOptions, Sourced
from budget_model.records.rejects import Reject
from budget_model.sources.json_items import is_list, items, one_after_another


def read(piece: Piece, options: ReadOptions) -> Iterator[Sourced]:
    """The spans, each payload the JSON text of one."""
    for document in one_after_another(piece, options):
        if isinstance(document, Reject) or not is_list(document.payload):
            yield document
            continue
        for number, span in enumerate(items(document.payload), 1):
            yield RawRecord(f"{document.where}, span {number}", span)
