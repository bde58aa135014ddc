"""Importing files: each file whole or not at all, the same content once, several processes at work.

A file is read in parts by worker processes that write staged files (``staging``); traces that lie
in several batches or are in the store already are then made again from all their records
(``settling``); one ledger transaction makes the result visible (``store.publish``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Event

from budget_model.errors import Cancelled, StoreError, TailbudgetError
from budget_model.records.raw import ReadOptions
from budget_model.services.clock import now_us
from budget_model.services.file_import import FileImport
from budget_model.services.import_passes import Surroundings
from budget_model.services.import_progress import ProgressMeter
from budget_model.services.import_report import Failure, FileReport, ImportReport, Progress, files_below
from budget_model.services.making import assembler_for
from budget_model.services.workers import Pool, check
from budget_model.settings import Settings
from budget_model.store.compaction import compact
from budget_model.store.ledger import Ledger
from budget_model.store.lock import writer_lock
from budget_model.store.publish import Publication, publish, sweep
from budget_model.store.segments import stage

OnProgress = Callable[[Progress], None]


def import_files(
    settings: Settings,
    paths: Sequence[Path],
    *,
    format: str | None = None,
    set_dimensions: Mapping[str, str] | None = None,
    on_progress: OnProgress | None = None,
    cancel: Event | None = None,
) -> ImportReport:
    """Import files, and the files below folders, one after the other.

    ``format`` overrides recognition, ``set_dimensions`` (such as tenant=acme) wins over what files
    say. A file that cannot be read is a Failure in the report and leaves nothing behind; the others
    go in. While another process writes to the home this waits and says so through ``on_progress``.

    Raises Cancelled when ``cancel`` is set (files finished before stay), StoreError when the home
    cannot be written, MappingError when the user's hop rules cannot be used.
    """
    files = files_below(paths)
    options = ReadOptions(set_dimensions=dict(set_dimensions or {}))
    meter = ProgressMeter(on_progress, files)
    assembler = assembler_for(settings)
    ledger = Ledger(settings)
    try:
        with writer_lock(settings.home, cancel=cancel, on_wait=meter.waiting), Pool(settings.workers) as pool:
            sweep(ledger, now_us())
            around = Surroundings(settings, ledger, pool, options, assembler, format, meter, cancel)
            return _import_all(files, around)
    finally:
        ledger.close()


def _import_all(files: Sequence[Path], around: Surroundings) -> ImportReport:
    done: list[FileReport] = []
    failed: list[Failure] = []
    for path in files:
        check(around.cancel)
        around.meter.begin(path)
        try:
            done.append(FileImport(path, around).run())
        except (Cancelled, StoreError):
            raise
        except TailbudgetError as error:
            failed.append(Failure(str(path), error))
        tidy(around.ledger)
    return ImportReport(tuple(done), tuple(failed))


def tidy(ledger: Ledger) -> None:
    """Merge small segments when there are many. The caller holds the writer lock."""
    with stage(ledger.settings) as folder:
        merged, retired = compact(ledger.manifest(), folder)
        if retired:
            publish(ledger, Publication(merged=merged, retired=retired), now_us())
