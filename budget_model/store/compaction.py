"""Merging small segments, so that a generation never has more than about fifty files of a kind.

Request and gap rows are merged all at once, leaving out what later generations replaced, after
which the lists of replaced keys are not needed any more. Spans segments are merged as they are,
except the large ones: those are left alone so that an import never rewrites the whole store.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from budget_model.store.keys import NO_KEYS, Keys, column, contains, union
from budget_model.store.ledger import Manifest, SegmentRef
from budget_model.store.publish import Merged
from budget_model.store.schema import Kind
from budget_model.store.segments import SegmentWriter, open_segment

MOST_FILES = 32
"""More files of a kind than this are merged by the next writer."""

LARGE_ROWS = 2_000_000
"""Spans segments of this many rows are not merged again."""

_BATCH_ROWS = 1 << 15


def compact(manifest: Manifest, folder: Path) -> tuple[list[Merged], list[SegmentRef]]:
    """Staged replacements in ``folder`` for the files they replace; two empty lists when few.

    Holds one batch of rows in memory. The caller holds the writer lock and publishes the answer.
    """
    merged: list[Merged] = []
    retired: list[SegmentRef] = []
    facts = [ref for ref in manifest.segments if ref.kind is not Kind.SPANS]
    if any(len(manifest.of(kind)) > MOST_FILES for kind in Kind if kind is not Kind.SPANS):
        for kind in (Kind.REQUESTS, Kind.TOKEN_GAPS):
            merged += _merge(kind, manifest.of(kind), manifest.of(Kind.SUPERSEDED), folder)
        retired += facts
    small = [ref for ref in manifest.of(Kind.SPANS) if ref.rows < LARGE_ROWS]
    if len(small) > MOST_FILES:
        merged += _merge(Kind.SPANS, small, [], folder)
        retired += small
    return merged, retired


def live_rows(
    refs: Sequence[SegmentRef], superseded: Sequence[SegmentRef], columns: list[str] | None = None
) -> Iterator[pa.Table]:
    """The rows of request or gap segments that no later generation replaced, in batches.

    ``columns`` None is all; otherwise ``trace_key`` must be among them.
    """
    for ref in refs:
        gone = replaced_after(superseded, ref.generation)
        with open_segment(ref.path) as file:
            for batch in file.iter_batches(_BATCH_ROWS, columns=columns):
                table = pa.Table.from_batches([batch])
                yield (
                    table.filter(pa.array(~contains(column(table, "trace_key"), gone)))
                    if len(gone)
                    else table
                )


def without(table: pa.Table, gone: Keys) -> pa.Table:
    """The rows of ``table`` whose trace key is not in ``gone`` (ascending)."""
    if not len(gone):
        return table
    return table.filter(pa.array(~contains(column(table, "trace_key"), gone)))


def replaced_after(superseded: Sequence[SegmentRef], generation: int) -> Keys:
    """Trace keys that generations after ``generation`` replace, ascending."""
    later = [ref for ref in superseded if ref.generation > generation]
    return union(*(column(pq.read_table(ref.path), "trace_key") for ref in later)) if later else NO_KEYS


def _merge(
    kind: Kind, refs: Sequence[SegmentRef], superseded: Sequence[SegmentRef], folder: Path
) -> list[Merged]:
    writer = SegmentWriter(folder, kind, "merged")
    for table in live_rows(refs, superseded):
        writer.write(table)
    first = min((ref.first_generation for ref in refs), default=0)
    last = max((ref.generation for ref in refs), default=0)
    return [Merged(staged, first, last) for staged in writer.close()]
