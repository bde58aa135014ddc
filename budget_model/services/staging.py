"""The first pass over a part of a file: read, make facts of whole traces, write staged files.

Each batch is treated as if every trace in it were whole and new. Which ones are not is known only
when all batches of the file are read; those are made again in a second pass (``settling``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa

from budget_model.normalise.assemble import trace_key
from budget_model.records.facts import RequestFact, TokenGap
from budget_model.records.raw import ReadOptions
from budget_model.records.rejects import Reject, Warned
from budget_model.records.spans import Span
from budget_model.services.making import Assembler, Made, Maker, conflict_example, distinct_places, may_repeat
from budget_model.services.reading import Batch, Part, read_part
from budget_model.store.keys import Keys
from budget_model.store.schema import Kind
from budget_model.store.segments import SegmentWriter, Staged
from budget_model.store.tables import facts_table, gaps_table, span_digests, spans_table

BATCH_RECORDS = 20_000
"""Records held at once by one process; bounds its memory whatever the size of the file."""

REJECTS_KEPT = 1_000
"""Refused records kept word by word for one file; all are counted."""


@dataclass(frozen=True, slots=True)
class StagedBatch:
    """What the first pass found in one batch.

    ``repeat_keys`` and ``repeat_digests`` (shape (r,)) name each exact copy that was left out,
    ``conflict_keys`` (shape (c,)) each version beyond the first of a span. ``span_keys`` has every
    trace key once, ``row_keys`` one entry a request row.
    """

    records: int
    accepted: int
    rows: int
    events: int
    bytes_read: int
    rejected: int
    rejects: list[Reject]
    warnings: list[Warned]
    span_keys: Keys
    row_keys: Keys
    repeat_keys: Keys
    repeat_digests: Keys
    conflict_keys: Keys
    conflict_example: str


@dataclass(frozen=True, slots=True)
class StagedPart:
    """The finished files of a part: what was made of spans, and what came as request rows."""

    from_spans: list[Staged]
    from_rows: list[Staged]


@dataclass(frozen=True, slots=True)
class ReadTask:
    """Read one part in a worker. Yields StagedBatch, and StagedPart at the end."""

    part: Part
    options: ReadOptions
    assembler: Assembler
    folder: Path
    name: str

    def run(self) -> Iterator[StagedBatch | StagedPart]:
        """Raises SourceError when the file turns out not to be whole."""
        maker = self.assembler.maker()
        files = _Files(self.folder, self.name)
        for batch in read_part(self.part, self.options, BATCH_RECORDS):
            yield _stage(batch, maker, files)
        yield files.close()


class _Files:
    def __init__(self, folder: Path, name: str) -> None:
        self.spans = SegmentWriter(folder, Kind.SPANS, name)
        self.requests = SegmentWriter(folder, Kind.REQUESTS, name)
        self.gaps = SegmentWriter(folder, Kind.TOKEN_GAPS, name)
        self.rows = SegmentWriter(folder, Kind.REQUESTS, f"{name}-rows")
        self.row_gaps = SegmentWriter(folder, Kind.TOKEN_GAPS, f"{name}-rows")

    def close(self) -> StagedPart:
        from_spans = [*self.spans.close(), *self.requests.close(), *self.gaps.close()]
        return StagedPart(from_spans, [*self.rows.close(), *self.row_gaps.close()])


@dataclass(slots=True)
class _FirstMade:
    """Facts made, and the copies and conflicting versions met; ``places`` are rows not to be kept."""

    made: Made = field(default_factory=Made)
    places: list[int] = field(default_factory=list)
    copy_keys: list[int] = field(default_factory=list)
    copy_digests: list[int] = field(default_factory=list)
    conflict_keys: list[int] = field(default_factory=list)
    example: str = ""

    def note_copies(self, start: int, key: int, digests: Keys, kept: list[int]) -> None:
        copies = sorted(set(range(len(digests))).difference(kept))
        self.places += [start + place for place in copies]
        self.copy_keys += [key] * len(copies)
        self.copy_digests += [int(digests[place]) for place in copies]

    def note_conflicts(self, key: int, beyond: int, versions: Sequence[Span]) -> None:
        self.conflict_keys += [key] * beyond
        if beyond and not self.example:
            self.example = conflict_example(versions)


def _stage(batch: Batch, maker: Maker, files: _Files) -> StagedBatch:
    spans, keys, cuts = _in_trace_order(batch.spans)
    table = spans_table(spans, keys)
    first = _make_all(spans, table, cuts, maker)
    files.spans.write(_without_rows(table, first.places))
    files.requests.write(facts_table(first.made.facts))
    files.gaps.write(gaps_table(first.made.gaps))
    return StagedBatch(
        records=batch.records,
        accepted=batch.accepted,
        rows=len(batch.facts),
        events=sum(span.record == "event" for span in spans),
        bytes_read=batch.bytes_read,
        rejected=len(batch.rejects),
        rejects=batch.rejects[:REJECTS_KEPT],
        warnings=batch.warnings,
        span_keys=keys[cuts[:-1]],
        row_keys=_stage_rows(batch, files),
        repeat_keys=np.array(first.copy_keys, np.int64),
        repeat_digests=np.array(first.copy_digests, np.int64),
        conflict_keys=np.array(first.conflict_keys, np.int64),
        conflict_example=first.example,
    )


def _in_trace_order(spans: Sequence[Span]) -> tuple[list[Span], Keys, list[int]]:
    """Spans by ascending trace key, the key of each, and where each trace starts (and the end)."""
    groups: dict[int, list[Span]] = {}
    known: dict[str, list[Span]] = {}
    for span in spans:
        group = known.get(span.trace_id)
        if group is None:
            group = known[span.trace_id] = groups.setdefault(trace_key(span.trace_id), [])
        group.append(span)
    ordered = sorted(groups.items())
    sizes = [len(group) for _, group in ordered]
    keys = np.repeat(np.array([key for key, _ in ordered], np.int64), sizes)
    cuts = np.cumsum([0, *sizes]).tolist()
    return [span for _, group in ordered for span in group], keys, cuts


def _make_all(spans: list[Span], table: pa.Table, cuts: list[int], maker: Maker) -> _FirstMade:
    """Facts of all traces as if each were whole; what is there twice is noted in passing."""
    result = _FirstMade()
    traces = [spans[start:stop] for start, stop in pairwise(cuts)]
    for start, trace, fact in zip(cuts, traces, maker.usual(traces), strict=False):
        if fact is not None:
            result.made.facts.append(fact)
        elif may_repeat(trace):
            key = table.column("trace_key")[start].as_py()
            digests = span_digests(table.slice(start, len(trace)))
            kept = distinct_places(digests)
            result.note_copies(start, key, digests, kept)
            versions = [trace[place] for place in kept]
            beyond = len(versions) - maker.make(versions, result.made)
            result.note_conflicts(key, beyond, versions)
        else:
            maker.make(trace, result.made)
    return result


def _without_rows(table: pa.Table, places: list[int]) -> pa.Table:
    if not places:
        return table
    keep = np.ones(table.num_rows, np.bool_)
    keep[places] = False
    return table.filter(pa.array(keep))


def _stage_rows(batch: Batch, files: _Files) -> Keys:
    facts: list[RequestFact] = batch.facts
    gaps: list[TokenGap] = batch.gaps
    files.rows.write(facts_table(facts))
    files.row_gaps.write(gaps_table(gaps))
    return np.array([fact.trace_key for fact in facts], np.int64)
