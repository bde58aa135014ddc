"""One file into the store: known content at once, anything else read, settled and published."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import msgspec
from sqlalchemy.orm import Session

from budget_model import __version__
from budget_model.errors import SourceError
from budget_model.records.rejects import Warned
from budget_model.services.clock import now_us
from budget_model.services.import_passes import FirstPass, SecondPass, Surroundings, settle
from budget_model.services.import_report import Counts, FileReport, merge_warnings
from budget_model.services.reading import plan_detected
from budget_model.services.staging import REJECTS_KEPT, ReadTask, StagedBatch
from budget_model.services.workers import Message, check
from budget_model.sources.detect import Detected, detect
from budget_model.sources.streams import opened
from budget_model.store.imports import ImportRecord, find_import, record_import, rejects_of
from budget_model.store.publish import Publication, publish
from budget_model.store.segments import stage

SMALL_BYTES = 4 * 1024 * 1024
"""Files up to this size are read in this process: starting others would take longer."""

_CHUNK = 1024 * 1024


Also = Callable[[Session], None]
"""What else is written in the transaction that makes a file's data visible."""


class FileImport:
    """The import of one file; ``run`` does it whole or leaves nothing.

    Reports and the ledger call the file ``shown``, its path unless given. ``also`` is part of the
    import's transaction, and is done as well when the content was imported before.
    """

    def __init__(
        self, path: Path, around: Surroundings, *, shown: str = "", also: Also | None = None
    ) -> None:
        self.path = path
        self.shown = shown or str(path)
        self.around = around
        self.also = also
        self.began_us = now_us()

    def run(self) -> FileReport:
        """Raises SourceError when the file cannot be read, Cancelled when the user stopped."""
        detected = detect(self.path, self.around.format)
        if detected.size > SMALL_BYTES:
            self.around.pool.start()
        digest = self._digest(detected)
        known = find_import(self.around.ledger, digest)
        if known is not None:
            self._only_also()
            return self._known(known, detected)
        with stage(self.around.settings) as folder:
            read = self._read(detected, folder)
            return self._keep(read, detected, digest, folder)

    def _digest(self, detected: Detected) -> str:
        """SHA-256 of the content, decompressed, and of what the user said about it."""
        said = {"format": detected.format, "set": dict(sorted(self.around.options.set_dimensions.items()))}
        state = hashlib.sha256(msgspec.json.encode(said))
        with opened(self.path, detected.compression, self.around.options.max_output_bytes) as stream:
            while chunk := stream.read(_CHUNK):
                state.update(chunk)
        return state.hexdigest()

    def _known(self, known: ImportRecord, detected: Detected) -> FileReport:
        counts = Counts(known.records, rejected=known.rejected, already_known=known.records - known.rejected)
        warnings = tuple(Warned(**warned) for warned in known.warnings)
        rejects = tuple(rejects_of(self.around.ledger, known.id or 0))
        return FileReport(self.shown, detected.format, counts, warnings, rejects)

    def _only_also(self) -> None:
        if self.also is not None:
            with self.around.ledger.session() as session:
                self.also(session)

    def _read(self, detected: Detected, folder: Path) -> FirstPass:
        """The first pass over all parts."""
        around, found = self.around, FirstPass()
        wanted = 1 if detected.size <= SMALL_BYTES else around.settings.workers
        tasks = [
            ReadTask(part, around.options, around.assembler, folder, str(number))
            for number, part in enumerate(plan_detected(detected, wanted))
        ]

        def on_message(message: Message) -> None:
            found.put(message)
            if isinstance(message.payload, StagedBatch):
                around.meter.batch(message.task, message.payload.bytes_read, message.payload.records)

        around.pool.run(tasks, on_message, around.cancel, in_process=detected.size <= SMALL_BYTES)
        self._check_still_there(detected)
        return found

    def _check_still_there(self, detected: Detected) -> None:
        """A file that shrank or went was not read whole, and its digest is of what is not stored."""
        name = self.path.name
        try:
            size = self.path.stat().st_size
        except OSError as error:
            raise SourceError(f"{name}: went while it was read; nothing of it was imported") from error
        if size < detected.size:
            raise SourceError(
                f"{name}: shrank from {detected.size:,} to {size:,} bytes while it was read; "
                "nothing of it was imported"
            )

    def _keep(self, found: FirstPass, detected: Detected, digest: str, folder: Path) -> FileReport:
        """The second pass, and the transaction that makes the file's data visible."""
        around = self.around
        around.meter.phase("settling")
        result = settle(found, around, folder)
        around.meter.phase("writing")
        check(around.cancel)
        report = _report(self.shown, detected.format, found, result)
        record = self._record(report, detected, digest, result.tally.conflicts)

        def recorded(session: Session) -> None:
            record_import(session, record, report.rejects)
            if self.also is not None:
                self.also(session)

        publish(
            around.ledger,
            Publication(
                added=result.files,
                rules_fingerprint=result.rules_fingerprint,
                also=recorded,
            ),
            now_us(),
        )
        return report

    def _record(self, report: FileReport, detected: Detected, digest: str, conflicts: int) -> ImportRecord:
        counts = {f.name: getattr(report.counts, f.name) for f in fields(Counts)}
        return ImportRecord(
            source_digest=digest,
            path=report.path,
            format=report.format,
            bytes=detected.size,
            conflicts=conflicts,
            warnings=[{"code": w.code, "count": w.count, "example": w.example} for w in report.warnings],
            started_us=self.began_us,
            ended_us=now_us(),
            state="done",
            product_version=__version__,
            **counts,
        )


def _report(path: str, format_name: str, found: FirstPass, result: SecondPass) -> FileReport:
    batches, tally = found.all_batches(), result.tally
    records = sum(batch.records for batch in batches)
    rejected = sum(batch.rejected for batch in batches)
    accepted = sum(batch.accepted for batch in batches) - tally.duplicates - tally.already_known
    counts = Counts(
        records, accepted, rejected, tally.duplicates, tally.already_known, result.requests, result.spans
    )
    rejects = [reject for batch in batches for reject in batch.rejects][:REJECTS_KEPT]
    warnings = merge_warnings([*(batch.warnings for batch in batches), result.warnings])
    return FileReport(path, format_name, counts, tuple(warnings), tuple(rejects))
