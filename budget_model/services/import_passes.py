"""Between the two passes of an import: which traces need the second, and what comes out of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

import numpy as np
import pyarrow as pa

from budget_model.records.raw import ReadOptions
from budget_model.records.rejects import Warned
from budget_model.services.flag_warnings import flag_warnings
from budget_model.services.import_progress import ProgressMeter
from budget_model.services.making import Assembler
from budget_model.services.row_settling import settle_rows
from budget_model.services.settling import ROWS_AT_ONCE, Settled, SettleTask, Tally
from budget_model.services.staging import StagedBatch, StagedPart
from budget_model.services.workers import Message, Pool
from budget_model.settings import Settings
from budget_model.store.keys import NO_KEYS, Keys, contains, distinct, in_several, stored_among, union
from budget_model.store.ledger import Ledger, Manifest
from budget_model.store.rewrite import without_keys, without_places
from budget_model.store.schema import SUPERSEDED, Kind
from budget_model.store.segments import SegmentWriter, Staged
from budget_model.store.shuffle import STORED, rows_of, shuffle

SPAN_CONFLICT = "conflicting-span"
ROW_CONFLICT = "conflicting-request"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all files of one import share. The caller holds the writer lock."""

    settings: Settings
    ledger: Ledger
    pool: Pool
    options: ReadOptions
    assembler: Assembler
    format: str | None
    meter: ProgressMeter
    cancel: Event | None


@dataclass(slots=True)
class FirstPass:
    """Everything the first pass said, in the order of the file whatever order it came in."""

    batches: dict[int, list[StagedBatch]] = field(default_factory=dict)
    parts: dict[int, StagedPart] = field(default_factory=dict)

    def put(self, message: Message) -> None:
        """Take in one message of a ReadTask."""
        if isinstance(message.payload, StagedPart):
            self.parts[message.task] = message.payload
        else:
            self.batches.setdefault(message.task, []).append(message.payload)

    def all_batches(self) -> list[StagedBatch]:
        """The batches in file order."""
        return [batch for _, batches in sorted(self.batches.items()) for batch in batches]

    def files(self, kind: Kind, *, of_rows: bool = False) -> list[Staged]:
        """Staged files of a kind: what was made of spans, or what came as request rows."""
        parts = [part for _, part in sorted(self.parts.items())]
        files = [one for part in parts for one in (part.from_rows if of_rows else part.from_spans)]
        return [one for one in files if one.kind is kind]


@dataclass(frozen=True, slots=True)
class SecondPass:
    """The files to publish and how the records were judged."""

    files: list[Staged]
    tally: Tally
    warnings: list[Warned]
    requests: int
    spans: int
    rules_fingerprint: str | None


@dataclass(frozen=True, slots=True)
class _Part:
    """One half of the result: of spans, or of request rows."""

    files: list[Staged]
    replaced: Keys
    tally: Tally


def settle(found: FirstPass, around: Surroundings, folder: Path) -> SecondPass:
    """Settle what needs it and say what is to be published."""
    manifest = around.ledger.manifest()
    spans = _settle_spans(found, manifest, around, folder)
    rows = _settle_rows(found, manifest)
    files = [*spans.files, *rows.files, *_superseded(union(spans.replaced, rows.replaced), folder)]
    batches = found.all_batches()
    had_spans = any(len(batch.span_keys) for batch in batches)
    lines = sum(batch.accepted - batch.rows - batch.events for batch in batches)
    return SecondPass(
        files,
        spans.tally + rows.tally,
        [
            *_conflicts(SPAN_CONFLICT, spans.tally),
            *_conflicts(ROW_CONFLICT, rows.tally),
            *flag_warnings(spans.files),
        ],
        sum(one.rows for one in files if one.kind is Kind.REQUESTS),
        max(0, lines - spans.tally.duplicates - spans.tally.already_known) if lines else 0,
        around.assembler.fingerprint if had_spans and not _has_facts(manifest) else None,
    )


def _has_facts(manifest: Manifest) -> bool:
    return bool(manifest.of(Kind.SPANS))


def _conflicts(code: str, tally: Tally) -> list[Warned]:
    return [Warned(code, tally.conflicts, tally.example)] if tally.conflicts else []


def _settle_spans(found: FirstPass, manifest: Manifest, around: Surroundings, folder: Path) -> _Part:
    batches = found.all_batches()
    sets = [batch.span_keys for batch in batches]
    stored = stored_among(manifest.paths(Kind.SPANS), union(*sets))
    touched = union(in_several(sets), stored)
    tally = _first_tally(batches, touched)
    spans_files = found.files(Kind.SPANS)
    made_files = [*found.files(Kind.REQUESTS), *found.files(Kind.TOKEN_GAPS)]
    if not len(touched):
        return _Part([*spans_files, *made_files], NO_KEYS, tally)
    results = _second_pass(spans_files, manifest, touched, batches, around, folder)
    unwanted = np.concatenate([result.unwanted for result in results])
    unchanged = union(*(result.unchanged for result in results))
    files = [file for result in results for file in result.files]
    for number, one in enumerate(spans_files):
        files += without_places(one, unwanted[unwanted[:, 0] == number, 1])
    for one in made_files:
        files += without_keys(one, touched)
    replaced = stored[~contains(stored, unchanged)]
    return _Part(files, replaced, sum((result.tally for result in results), tally))


def _first_tally(batches: Sequence[StagedBatch], touched: Keys) -> Tally:
    """What the first pass judged about traces that need no second."""
    copies = conflicts = 0
    example = ""
    for batch in batches:
        copies += int((~contains(batch.repeat_keys, touched)).sum())
        final = int((~contains(batch.conflict_keys, touched)).sum())
        conflicts += final
        example = example or (batch.conflict_example if final else "")
    return Tally(copies + conflicts, conflicts, 0, example)


def _second_pass(
    staged: Sequence[Staged],
    manifest: Manifest,
    touched: Keys,
    batches: Sequence[StagedBatch],
    around: Surroundings,
    folder: Path,
) -> list[Settled]:
    new = [(number, one.path) for number, one in enumerate(staged)]
    old = [(STORED, path) for path in manifest.paths(Kind.SPANS)]
    rows = rows_of([path for _, path in [*new, *old]], touched)
    buckets = min(len(touched), rows // ROWS_AT_ONCE + 1)
    tasks = [
        SettleTask(path, _copies(batches, keys), around.assembler, folder, str(number))
        for number, (keys, path) in enumerate(shuffle([*new, *old], touched, buckets, folder))
    ]
    results: dict[int, Settled] = {}
    around.pool.run(
        tasks,
        lambda message: results.update({message.task: message.payload}),
        around.cancel,
        in_process=rows <= ROWS_AT_ONCE,
    )
    return [result for _, result in sorted(results.items())]


def _copies(batches: Sequence[StagedBatch], keys: Keys) -> dict[int, int]:
    copies = Counter[int]()
    for batch in batches:
        copies.update(batch.repeat_digests[contains(batch.repeat_keys, keys)].tolist())
    return dict(copies)


def _settle_rows(found: FirstPass, manifest: Manifest) -> _Part:
    staged = found.files(Kind.REQUESTS, of_rows=True)
    gaps = found.files(Kind.TOKEN_GAPS, of_rows=True)
    keys = np.sort(np.concatenate([NO_KEYS, *(batch.row_keys for batch in found.all_batches())]))
    repeated = distinct(keys[1:][keys[1:] == keys[:-1]])
    stored = manifest.of(Kind.REQUESTS)
    known = stored_among([ref.path for ref in stored], distinct(keys))
    settled = settle_rows(staged, stored, manifest.of(Kind.SUPERSEDED), union(repeated, known))
    files = [
        kept for one, gone in zip(staged, settled.unwanted, strict=True) for kept in without_places(one, gone)
    ]
    lost = known[~contains(known, settled.replaced)]
    files += [kept for one in gaps for kept in without_keys(one, lost)]
    return _Part(files, settled.replaced, settled.tally)


def _superseded(keys: Keys, folder: Path) -> list[Staged]:
    writer = SegmentWriter(folder, Kind.SUPERSEDED, "keys")
    writer.write(pa.table({"trace_key": keys}, schema=SUPERSEDED))
    return writer.close()
