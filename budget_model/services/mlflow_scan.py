"""One sync over an open connection: look at heads, read what is new, commit in whole batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Event

from budget_model.records.mlflow import MlflowStore, TraceHead
from budget_model.services.mlflow_batch import Batch, Committer, with_watermark
from budget_model.services.mlflow_deleted import Missing, not_there
from budget_model.services.mlflow_judging import Verdict, gone_row, judge, read_row, waiting_row
from budget_model.services.mlflow_report import BatchReport, SyncRequest
from budget_model.services.workers import check
from budget_model.store.mlflow_catalog import DELETED, MlflowCatalog, SeenTrace, Source, pieces

HEADS_AT_ONCE = 250
"""Traces whose documents are asked for at once."""

EVER_MS = 0


class Scan:
    """Brings one source up to date. ``source`` is as last committed, also when ``run`` raises."""

    def __init__(
        self,
        source: Source,
        store: MlflowStore,
        committer: Committer,
        *,
        request: SyncRequest,
        folder: Path,
        now_us: int,
        on_batch: Callable[[BatchReport], None],
        on_look: Callable[[int, TraceHead], None],
        cancel: Event | None,
    ) -> None:
        self.source = source
        self._store = store
        self._committer = committer
        self._catalog = MlflowCatalog(committer.ledger)
        self._request = request
        self._folder = folder
        self._now_us = now_us
        self._on_batch = on_batch
        self._on_look = on_look
        self._cancel = cancel
        self._number = 0
        self._batch = self._new_batch()
        self._next = source  # as it is to be committed with the batch
        self._waiting: set[str] = set()

    def run(self, experiment_ids: Sequence[str]) -> None:
        """Raises RemoteError, StoreError or Cancelled; batches committed before stay."""
        try:
            for ids, watermark_ms in _alike(self.source, experiment_ids):
                self._look_at(ids, watermark_ms)
            self._look_at_waiting(experiment_ids)
            if self._request.check_deleted:
                self._look_for_deleted(experiment_ids)
            self._next = _levelled(self._next, experiment_ids)
            self._commit()
        finally:
            self._batch.discard()

    def _look_at(self, ids: list[str], watermark_ms: int | None) -> None:
        settled_below = 0 if watermark_ms is None else watermark_ms - self._request.overlap_ms
        since_ms = _since(self._request, watermark_ms)
        missing = Missing(self._catalog, self._store, self.source.id, ids, since_ms)
        for page in self._store.heads(ids, since_ms):
            for heads in pieces(page, HEADS_AT_ONCE):
                self._take(heads, settled_below)
                start_ms = min(heads[-1].start_ms, self._now_us // 1000)
                self._next = with_watermark(self._next, ids, start_ms)
                self._commit_full()
            self._mark(missing.after(page))
        self._mark(missing.at_end())

    def _look_at_waiting(self, experiment_ids: Sequence[str]) -> None:
        """Traces that had not ended at an earlier sync, however long ago that was."""
        rows = self._catalog.waiting(self.source.id, experiment_ids)
        rows = [one for one in rows if one.trace_id not in self._waiting | self._batch.rows.keys()]
        for some in pieces(rows, HEADS_AT_ONCE):
            heads = self._store.heads_of([one.trace_id for one in some])
            there = {head.trace_id for head in heads}
            self._take(heads, EVER_MS)
            self._mark([[one for one in some if one.trace_id not in there]])
            self._commit_full()

    def _look_for_deleted(self, experiment_ids: Sequence[str]) -> None:
        for some in self._catalog.expected(self.source.id, experiment_ids, EVER_MS, None):
            self._mark([not_there(self._store, some)])
            self._commit_full()

    def _take(self, heads: Sequence[TraceHead], settled_below_ms: int) -> None:
        check(self._cancel)
        known = self._catalog.known(self.source.id, [head.trace_id for head in heads])
        # A trace can be met twice in one sync; what this batch holds of it is newer than the ledger.
        known |= {h.trace_id: self._batch.rows[h.trace_id] for h in heads if h.trace_id in self._batch.rows}
        wanted: list[TraceHead] = []
        for head in heads:
            verdict = judge(head, known.get(head.trace_id), settled_below_ms)
            if verdict is Verdict.WANTED:
                wanted.append(head)
                continue
            self._batch.counts[verdict] += 1
            if verdict is Verdict.WAITING:
                self._wait_for(head, known.get(head.trace_id))
        self._batch.looked_at += len(heads)
        if wanted:
            self._read(wanted, known)
        if heads:
            self._on_look(len(heads), heads[-1])

    def _wait_for(self, head: TraceHead, known: SeenTrace | None) -> None:
        self._waiting.add(head.trace_id)
        row = waiting_row(head, known, self._now_us)
        if row is not None:
            self._batch.rows[row.trace_id] = row

    def _read(self, heads: Sequence[TraceHead], known: dict[str, SeenTrace]) -> None:
        for document in self._store.documents(heads):
            check(self._cancel)
            before = known.get(document.head.trace_id)
            row = read_row(document.head, before, document.line, self._now_us)
            if before is not None and row.seen == before.seen:
                self._batch.counts["unchanged"] += 1
                if row != before:
                    self._batch.rows[row.trace_id] = row
            else:
                self._batch.counts["updated" if before is not None and before.digest else "new"] += 1
                self._batch.put(row, document.line)

    def _mark(self, pages: Iterable[list[SeenTrace]]) -> None:
        rows = self._batch.rows
        for page in pages:
            gone = [one for one in page if rows.get(one.trace_id, one).state != DELETED]
            rows.update((one.trace_id, gone_row(one, self._now_us)) for one in gone)
            self._batch.counts["deleted"] += len(gone)
            self._batch.looked_at += len(gone)

    def _commit_full(self) -> None:
        if self._batch.is_full:
            self._commit()

    def _commit(self) -> None:
        looked_at = self._batch.looked_at
        self._number += bool(looked_at)
        report = self._committer.commit(self._batch, self._number, self._next)
        self.source = self._next
        self._batch.discard()
        self._batch = self._new_batch()
        if looked_at:
            self._on_batch(report)

    def _new_batch(self) -> Batch:
        return Batch(self._folder / "batch.jsonl", self._store.origin)


def _alike(source: Source, experiment_ids: Sequence[str]) -> list[tuple[list[str], int | None]]:
    """Experiments that are brought in up to the same moment, which are scanned together."""
    groups: dict[int | None, list[str]] = {}
    for one in experiment_ids:
        groups.setdefault(source.watermarks.get(one), []).append(one)
    return [(ids, watermark_ms) for watermark_ms, ids in groups.items()]


def _since(request: SyncRequest, watermark_ms: int | None) -> int:
    """Where a scan starts: no later than ever before, so that nothing falls in between."""
    if watermark_ms is None:
        return EVER_MS if request.since_ms is None else request.since_ms
    usual = max(EVER_MS, watermark_ms - request.overlap_ms)
    return usual if request.since_ms is None else min(usual, request.since_ms)


def _levelled(source: Source, experiment_ids: Sequence[str]) -> Source:
    """After a whole scan all its experiments are brought in up to the newest of their traces."""
    risen = [source.watermarks[one] for one in experiment_ids if one in source.watermarks]
    return with_watermark(source, experiment_ids, max(risen)) if risen else source
