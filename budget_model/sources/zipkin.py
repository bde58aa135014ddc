"""Zipkin v2 JSON: a list of spans, or a list of traces that are lists of spans.

https://zipkin.io/zipkin-api/#/default/post_spans
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import msgspec

from budget_model.records.raw import Piece, RawRecord, ReadOptions, Sourced
from budget_model.records.rejects import Reject
from budget_model.sources.json_items import documents_of, is_list, items

_CLIENT, _SERVER = "CLIENT", "SERVER"


class _SpanHead(msgspec.Struct):
    """What tells whether two spans share an id."""

    traceId: str = ""  # noqa: N815  the wire's own spelling
    id: str = ""
    kind: str | None = None


def read(piece: Piece, options: ReadOptions) -> Iterator[Sourced]:
    """The spans; each payload is the JSON text of one and the ids in its trace that two halves share.

    An id is shared when the same document holds a client's and a server's span of it. A line of a
    file of lines is a document of its own.
    """
    for document in documents_of(piece, options):
        if isinstance(document, Reject):
            yield document
            continue
        spans = list(_flat(document.payload))
        shared = _shared(spans)
        for number, span in enumerate(spans, 1):
            in_its_trace = shared.get(_head(span).traceId, frozenset())
            yield RawRecord(f"{document.where}, span {number}", (span, in_its_trace))


def _flat(content: bytes) -> Iterator[bytes]:
    """The spans of a document, whether or not they are grouped in traces."""
    for item in items(content):
        yield from items(item) if is_list(item) else [item]


def _shared(spans: list[bytes]) -> dict[str, frozenset[str]]:
    """For each trace the ids that both a client's and a server's span have."""
    halves: dict[str, dict[str, set[str]]] = defaultdict(lambda: {_CLIENT: set(), _SERVER: set()})
    for head in map(_head, spans):
        if head.kind in (_CLIENT, _SERVER):
            halves[head.traceId][head.kind].add(head.id)
    return {trace: frozenset(half[_CLIENT] & half[_SERVER]) for trace, half in halves.items()}


def _head(span: bytes) -> _SpanHead:
    try:
        return msgspec.json.decode(span, type=_SpanHead)
    except msgspec.DecodeError:
        return _SpanHead()
