"""What a source yields and a normaliser takes: the agreement between the two for every format.

A format has one source, ``read(piece, options) -> Iterator[RawRecord | Reject | Warned]``, that knows
how bytes are laid out, and one normaliser, ``normalise(raw, options) -> Iterator[Normalised]``, that
knows what the fields mean. The payload is whatever the two of one format agree on: bytes of a line,
a decoded JSON object, a row as a dict. A source refuses what cannot be read at all (a line that is
no JSON) with a Reject of its own; a normaliser yields exactly one Span, RequestFact or Reject for
each record of the input, so that accepted and rejected always add to the records read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from budget_model.records.facts import Dimensions, RequestFact, TokenGap
from budget_model.records.rejects import Reject, Warned
from budget_model.records.spans import Span

SET_PREFIX = "tailbudget."
"""Resource attributes with this prefix carry dimensions given with ``--set`` (``tailbudget.tenant``)."""

SETTABLE: tuple[str, ...] = tuple(Dimensions.__annotations__)
"""Dimensions that may be given for a whole file; they are fields of RequestFact of the same name."""

SEEN = "tailbudget.seen"
"""Resource attribute that numbers the readings of a source that changes, rising: of two versions of a
span the one seen later replaces the other."""

TEXT_CUT = "tailbudget.text_cut"
"""Attribute added to a span whose texts were cut: the list of the attribute names that were."""


class Piece(msgspec.Struct, frozen=True):
    """A file, or the lines of it that begin in the byte range ``[start, stop)``; picklable.

    Only an uncompressed file of lines is cut; every other file is one piece with ``stop`` None.
    ``first_line`` is the number of the line at ``start``, counted from 1.
    ``container`` is the layout under the format: json, jsonl, csv, parquet or protobuf.
    ``compression`` is none, gzip or zstd.
    """

    path: str
    format: str
    container: str
    compression: str = "none"
    start: int = 0
    stop: int | None = None
    first_line: int = 1


class ReadOptions(msgspec.Struct, frozen=True):
    """How a file is to be read.

    ``set_dimensions`` are dimensions given by the user for everything in the file, such as
    ``{"tenant": "acme"}``; they win over what the file says and are put on every span and fact by
    whoever drives the normaliser, not by the normaliser. ``max_text_chars`` is the length
    that texts in attributes are cut to. ``max_document_bytes`` is the largest single JSON document,
    ``max_line_bytes`` the longest line and ``max_output_bytes`` the most that one compressed file
    may grow to; 0 is no limit.
    """

    set_dimensions: dict[str, str] = {}
    max_text_chars: int = 16_384
    max_document_bytes: int = 512 * 1024 * 1024
    max_line_bytes: int = 256 * 1024 * 1024
    max_output_bytes: int = 0


class RawRecord(msgspec.Struct, frozen=True, gc=False):
    """One thing read from a file. ``where`` is its place in words, such as ``line 12``.

    ``bytes_read`` is how many bytes on disk the piece is through once this was read, for progress
    only; 0 where the source does not know.
    """

    where: str
    payload: Any
    bytes_read: int = 0


Sourced = RawRecord | Reject | Warned
Normalised = Span | RequestFact | TokenGap | Reject | Warned

Source = Callable[[Piece, ReadOptions], Iterator[Sourced]]
Normaliser = Callable[[RawRecord, ReadOptions], Iterator[Normalised]]
