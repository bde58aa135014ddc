"""One batch of traces on its way in: documents on disk, rows to remember, one transaction for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

import msgspec
from sqlalchemy.orm import Session

from budget_model.errors import RemoteError
from budget_model.records.mlflow import Origin
from budget_model.records.raw import ReadOptions
from budget_model.services.clock import now_us
from budget_model.services.file_import import FileImport
from budget_model.services.import_passes import Surroundings
from budget_model.services.import_progress import ProgressMeter
from budget_model.services.import_report import Counts
from budget_model.services.importing import tidy
from budget_model.services.making import assembler_for
from budget_model.services.mlflow_report import BatchReport, TraceCounts
from budget_model.services.workers import Pool
from budget_model.settings import Settings
from budget_model.store.ledger import Ledger
from budget_model.store.lock import writer_lock
from budget_model.store.mlflow_catalog import MlflowCatalog, SeenTrace, Source, remember
from budget_model.store.publish import sweep
from budget_model.store.segments import writing_to

FORMAT = "mlflow-trace"

MOST_TRACES, MOST_BYTES = 2_000, 32 * 1024 * 1024
"""A batch with this much is committed; it bounds the disk a sync needs and what a crash loses."""


class Batch:
    """Documents and rows collected for one commit; whoever makes it discards it."""

    def __init__(self, path: Path, origin: Origin) -> None:
        self.path = path
        self.counts: Counter[str] = Counter()
        self.rows: dict[str, SeenTrace] = {}
        self.looked_at = 0
        self.documents = 0
        self.bytes = 0
        self._pages = msgspec.json.encode(origin.pages)
        with writing_to(path.parent):
            self._file = path.open("wb")

    def discard(self) -> None:
        """Close and delete the file."""
        self._file.close()
        self.path.unlink(missing_ok=True)

    @property
    def is_full(self) -> bool:
        """Whether it is time to commit."""
        return self.looked_at >= MOST_TRACES or self.bytes >= MOST_BYTES

    def put(self, row: SeenTrace, line: bytes) -> None:
        """Take in a trace with its spans; ``row.seen`` says which of its readings this is."""
        if not (line.startswith(b"{") and line.endswith(b"}")):
            raise RemoteError(f"trace {row.trace_id}: its document is not a JSON object")
        head = b'{"tailbudget_seen":%d,"tailbudget_origin":%s,' % (row.seen, self._pages)
        with writing_to(self.path.parent):
            self.bytes += self._file.write(head + line[1:].replace(b"\n", b" ") + b"\n")
        self.documents += 1
        self.rows[row.trace_id] = row

    def finish(self) -> None:
        """All documents are on disk."""
        with writing_to(self.path.parent):
            self._file.close()

    def trace_counts(self) -> TraceCounts:
        """What became of the traces."""
        return TraceCounts(**self.counts)


@dataclass(frozen=True, slots=True)
class Committer:
    """Brings batches into the store, each in one transaction with its rows and the source's row."""

    settings: Settings
    ledger: Ledger
    pool: Pool
    cancel: Event | None
    on_wait: Callable[[str], None] | None

    def commit(self, batch: Batch, number: int, source: Source) -> BatchReport:
        """Raises Cancelled or StoreError, and then nothing of the batch is kept."""
        batch.finish()
        rows = list(batch.rows.values())
        spans = self._import(batch, source, rows) if batch.documents else self._note(source, rows)
        return BatchReport(number, batch.trace_counts(), spans, max(source.watermarks.values(), default=None))

    def _note(self, source: Source, rows: list[SeenTrace]) -> Counts:
        if rows or MlflowCatalog(self.ledger).source(source.id) != source:
            MlflowCatalog(self.ledger).remember(source, rows)
        return Counts()

    def _import(self, batch: Batch, source: Source, rows: list[SeenTrace]) -> Counts:
        def also(session: Session) -> None:
            remember(session, source, rows)

        with writer_lock(self.settings.home, cancel=self.cancel, on_wait=self.on_wait):
            sweep(self.ledger, now_us())
            around = Surroundings(
                self.settings,
                self.ledger,
                self.pool,
                ReadOptions(),
                assembler_for(self.settings),
                FORMAT,
                ProgressMeter(None, ()),
                self.cancel,
            )
            report = FileImport(batch.path, around, shown=source.address, also=also).run()
            tidy(self.ledger)
        return report.counts


def with_watermark(source: Source, experiment_ids: Sequence[str], start_ms: int) -> Source:
    """The source with these experiments brought in up to ``start_ms``, or further if they were."""
    risen = {one: max(start_ms, source.watermarks.get(one, start_ms)) for one in experiment_ids}
    return replace(source, watermarks={**source.watermarks, **risen})
