"""All request facts made again from the stored spans, under the rules as they are now.

Rows of request logs came as facts and stay as they are. The new facts replace the old ones in one
transaction; until then, and if it is stopped, readers see the old ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from budget_model.services.clock import now_us
from budget_model.services.import_report import Progress
from budget_model.services.making import Assembler, Made, assembler_for
from budget_model.services.settling import ROWS_AT_ONCE, SettleTask, runs
from budget_model.services.workers import Message, Pool
from budget_model.settings import Settings
from budget_model.store.compaction import live_rows, without
from budget_model.store.keys import NO_KEYS, Keys, column, contains, distinct, in_several, union
from budget_model.store.ledger import Ledger, Manifest
from budget_model.store.lock import writer_lock
from budget_model.store.publish import Merged, Publication, publish, sweep
from budget_model.store.schema import Kind
from budget_model.store.segments import SegmentWriter, Staged, open_segment, stage
from budget_model.store.shuffle import rows_of, shuffle
from budget_model.store.tables import facts_table, gaps_table, spans_of

_GROUPS_A_TASK = 8


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """How many span records were read and how many requests there are now, rows of logs included."""

    spans: int
    requests: int
    generation: int


@dataclass(frozen=True, slots=True)
class _Rebuilt:
    rows: int
    files: list[Staged]


@dataclass(frozen=True, slots=True)
class RebuildTask:
    """Make the facts of the traces that lie whole in single row groups. Yields one message a group."""

    path: Path
    groups: tuple[int, ...]
    elsewhere: Path  # .npy of trace keys that lie in several row groups
    assembler: Assembler
    folder: Path
    name: str

    def run(self) -> Iterator[_Rebuilt]:
        """Raises MappingError when the rules cannot be used."""
        maker, split = self.assembler.maker(), np.load(self.elsewhere)
        requests = SegmentWriter(self.folder, Kind.REQUESTS, self.name)
        gaps = SegmentWriter(self.folder, Kind.TOKEN_GAPS, self.name)
        with open_segment(self.path) as file:
            for group in self.groups:
                table = file.read_row_group(group)
                whole = without(table, split).sort_by("trace_key")
                made, spans = Made(), spans_of(whole)
                traces = [spans[start:stop] for start, stop in runs(column(whole, "trace_key"))]
                maker.make_all(traces, made)
                requests.write(facts_table(made.facts))
                gaps.write(gaps_table(made.gaps))
                yield _Rebuilt(table.num_rows, [])
        yield _Rebuilt(0, [*requests.close(), *gaps.close()])


def rebuild(
    settings: Settings,
    *,
    on_progress: Callable[[Progress], None] | None = None,
    cancel: Event | None = None,
) -> RebuildReport:
    """Rebuild everything and publish it as a new generation.

    Waits while another process writes to the home. Raises Cancelled when ``cancel`` is set (the old
    facts stay), MappingError when the rules cannot be used.
    """
    ledger, meter = Ledger(settings), _Meter(on_progress)
    try:
        with writer_lock(settings.home, cancel=cancel, on_wait=meter.waiting):
            sweep(ledger, now_us())  # before staging: it deletes what no manifest names
            with Pool(settings.workers) as pool, stage(settings) as folder:
                return _Rebuild(ledger, pool, folder, assembler_for(settings), meter, cancel).run()
    finally:
        ledger.close()


class _Meter:
    def __init__(self, on_progress: Callable[[Progress], None] | None) -> None:
        self._tell = on_progress
        self._began = time.monotonic()
        self.total = self.done = 0

    def waiting(self, words: str) -> None:
        self._send("waiting", words)

    def add(self, rows: int) -> None:
        self.done += rows
        self._send("rebuilding")

    def _send(self, phase: str, words: str = "") -> None:
        if self._tell is None:
            return
        seconds = time.monotonic() - self._began
        left = seconds * (self.total - self.done) / self.done if self.done else None
        rate = self.done / seconds if seconds else 0.0
        self._tell(Progress(phase, "", self.done, self.total, self.done, rate, left, words))


@dataclass(slots=True)
class _Rebuild:
    ledger: Ledger
    pool: Pool
    folder: Path
    assembler: Assembler
    meter: _Meter
    cancel: Event | None

    def run(self) -> RebuildReport:
        manifest = self.ledger.manifest()
        paths = manifest.paths(Kind.SPANS)
        self.meter.total = sum(ref.rows for ref in manifest.of(Kind.SPANS))
        groups, split = _row_groups(paths)
        files = self._whole_traces(groups, split) + self._split_traces(paths, split)
        files += _log_rows(manifest, self.folder)
        generation = manifest.generation + 1
        # First generation 0 tells every reader that it must load the facts anew.
        merged = [Merged(file, 0, generation) for file in files]
        retired = [ref for ref in manifest.segments if ref.kind is not Kind.SPANS]
        fingerprint = self.assembler.fingerprint if paths else None
        publication = Publication(merged=merged, retired=retired, rules_fingerprint=fingerprint)
        now = publish(self.ledger, publication, now_us())
        requests = sum(file.rows for file in files if file.kind is Kind.REQUESTS)
        return RebuildReport(self.meter.total, requests, now)

    def _whole_traces(self, groups: Sequence[tuple[Path, int]], split: Keys) -> list[Staged]:
        elsewhere = self.folder / "split.npy"
        np.save(elsewhere, split)
        tasks = [
            RebuildTask(path, numbers, elsewhere, self.assembler, self.folder, f"whole-{index}")
            for index, (path, numbers) in enumerate(_shared_out(groups))
        ]
        files: list[Staged] = []

        def on_message(message: Message) -> None:
            files.extend(message.payload.files)
            self.meter.add(message.payload.rows)

        self.pool.run(tasks, on_message, self.cancel, in_process=self.meter.total <= ROWS_AT_ONCE)
        return files

    def _split_traces(self, paths: Sequence[Path], split: Keys) -> list[Staged]:
        if not len(split):
            return []
        rows = rows_of(paths, split)
        buckets = min(len(split), rows // ROWS_AT_ONCE + 1)
        shuffled = shuffle(list(enumerate(paths)), split, buckets, self.folder)
        tasks = [
            SettleTask(path, {}, self.assembler, self.folder, str(number))
            for number, (_, path) in enumerate(shuffled)
        ]
        files: list[Staged] = []
        self.pool.run(
            tasks,
            lambda message: files.extend(message.payload.files),
            self.cancel,
            in_process=rows <= ROWS_AT_ONCE,
        )
        return files


def _row_groups(paths: Sequence[Path]) -> tuple[list[tuple[Path, int]], Keys]:
    """All row groups, and the trace keys that lie in more than one of them."""
    groups: list[tuple[Path, int]] = []
    sets: list[Keys] = []
    for path in paths:
        with open_segment(path) as file:
            for group in range(file.num_row_groups):
                groups.append((path, group))
                sets.append(distinct(column(file.read_row_group(group, columns=["trace_key"]), "trace_key")))
    return groups, in_several(sets)


def _shared_out(groups: Sequence[tuple[Path, int]]) -> Iterator[tuple[Path, tuple[int, ...]]]:
    for path in dict.fromkeys(path for path, _ in groups):
        numbers = [group for one, group in groups if one == path]
        for start in range(0, len(numbers), _GROUPS_A_TASK):
            yield path, tuple(numbers[start : start + _GROUPS_A_TASK])


def _log_rows(manifest: Manifest, folder: Path) -> list[Staged]:
    """Requests that came as rows, and their gaps, as they are."""
    superseded, keys = manifest.of(Kind.SUPERSEDED), NO_KEYS
    requests = SegmentWriter(folder, Kind.REQUESTS, "rows")
    for table in live_rows(manifest.of(Kind.REQUESTS), superseded):
        rows = table.filter(pc.equal(table.column("source_kind").cast(pa.string()), "row"))
        requests.write(rows)
        keys = union(keys, column(rows, "trace_key"))
    gaps = SegmentWriter(folder, Kind.TOKEN_GAPS, "rows")
    for table in live_rows(manifest.of(Kind.TOKEN_GAPS), superseded):
        gaps.write(table.filter(pa.array(contains(column(table, "trace_key"), keys))))
    return [*requests.close(), *gaps.close()]
