"""The second pass of an import: traces that lie in several batches, or that the store knows already.

The accounting, for one span key of which the file holds r records with c different contents. When
the store does not know the key, 1 is accepted, r - 1 are duplicates and c - 1 of those conflicts.
When it does, records whose content the store has are already known and all others are conflicting
duplicates. Both versions of a conflict are stored; which one the facts are made from is decided by
``normalise.assemble.dedupe`` from content alone, so neither order nor splitting of files matters.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from budget_model.normalise.assemble import dedupe
from budget_model.records.spans import Span
from budget_model.services.making import Assembler, Made, conflict_example
from budget_model.store.keys import Keys, column
from budget_model.store.schema import Kind
from budget_model.store.segments import SegmentWriter, Staged
from budget_model.store.shuffle import STORED
from budget_model.store.tables import facts_table, gaps_table, span_digests, spans_of

ROWS_AT_ONCE = 24_000
"""Span rows settled at once by one process, whole traces together."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How records were judged; ``conflicts`` are among ``duplicates``."""

    duplicates: int = 0
    conflicts: int = 0
    already_known: int = 0
    example: str = ""

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.duplicates + other.duplicates,
            self.conflicts + other.conflicts,
            self.already_known + other.already_known,
            self.example or other.example,
        )


@dataclass(frozen=True, slots=True)
class Settled:
    """Facts made anew in ``files``; rows to leave out of the staged spans; traces nothing was added to.

    ``unwanted`` has shape (n, 2): number of the staged file and row in it. ``unchanged`` are trace keys.
    """

    files: list[Staged]
    tally: Tally
    unwanted: Keys
    unchanged: Keys


@dataclass(frozen=True, slots=True)
class SettleTask:
    """Settle the traces of one shuffled file in a worker. Yields one Settled.

    ``copies`` counts, by content digest, the exact copies that the first pass left out.
    """

    path: Path
    copies: dict[int, int]
    assembler: Assembler
    folder: Path
    name: str

    def run(self) -> Iterator[Settled]:
        """Raises MappingError when the rules cannot be used."""
        maker = self.assembler.maker()
        table = pq.read_table(self.path).sort_by("trace_key")
        spans, digests = spans_of(table), span_digests(table)
        origins, places = column(table, "origin"), column(table, "place")
        keys = column(table, "trace_key")
        made, tally, unwanted, unchanged = Made(), Tally(), list[int](), list[int]()
        for start, stop in runs(keys):
            rows = range(start, stop)
            stored, new, left_out, judged = _sorted_out(rows, spans, digests, origins, self.copies)
            tally += judged
            unwanted += left_out
            if new:
                maker.make([*stored, *new], made)
            else:
                unchanged.append(int(keys[start]))
        drop = np.array(unwanted, np.int64)
        pairs = np.stack([origins[drop], places[drop]], axis=1)
        yield Settled(self._written(made), tally, pairs, np.array(unchanged, np.int64))

    def _written(self, made: Made) -> list[Staged]:
        requests = SegmentWriter(self.folder, Kind.REQUESTS, f"settled-{self.name}")
        gaps = SegmentWriter(self.folder, Kind.TOKEN_GAPS, f"settled-{self.name}")
        requests.write(facts_table(made.facts))
        gaps.write(gaps_table(made.gaps))
        return [*requests.close(), *gaps.close()]


def runs(keys: Keys) -> Iterator[tuple[int, int]]:
    """Start and end of each run of equal keys."""
    if not len(keys):
        return
    edges = np.flatnonzero(np.diff(keys)) + 1
    bounds = [0, *edges.tolist(), len(keys)]
    yield from itertools.pairwise(bounds)


def _sorted_out(
    rows: Sequence[int], spans: list[Span], digests: Keys, origins: Keys, copies: dict[int, int]
) -> tuple[list[Span], list[Span], list[int], Tally]:
    """One trace: stored contents, new contents, rows not to be kept, and how its records are judged."""
    stored = {int(digests[row]): row for row in rows if origins[row] == STORED}
    fresh: dict[int, int] = {}
    left_out: list[int] = []
    times = Counter[int]()
    for row in rows:
        if origins[row] == STORED:
            continue
        digest = int(digests[row])
        times[digest] += 1 + (copies.pop(digest, 0))
        if digest in stored or digest in fresh:
            left_out.append(row)
        else:
            fresh[digest] = row
    known = sum(count for digest, count in times.items() if digest in stored)
    old = [spans[row] for row in stored.values()]
    new = [spans[row] for row in fresh.values()]
    return old, new, left_out, _judged(old, new, times.total() - known, known)


def _judged(stored: list[Span], new: list[Span], records: int, known: int) -> Tally:
    if not new:
        return Tally(already_known=known)
    before, after = dedupe(stored), dedupe([*stored, *new])
    accepted = len(after.kept) - len(before.kept) + after.updated - before.updated
    conflicts = len(new) - accepted
    example = conflict_example([*stored, *new]) if conflicts else ""
    return Tally(records - accepted, conflicts, known, example)
