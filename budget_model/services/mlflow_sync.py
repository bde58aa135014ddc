"""Bringing in what MLflow holds and is not here yet."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event

from budget_model.errors import Cancelled, RemoteError, StoreError, TailbudgetError
from budget_model.records.mlflow import MlflowStore, TraceHead
from budget_model.services.clock import now_us
from budget_model.services.import_report import Progress
from budget_model.services.making import assembler_for
from budget_model.services.mlflow_address import has_credentials, public_address
from budget_model.services.mlflow_batch import Committer
from budget_model.services.mlflow_prompts import PromptCounts, bring_prompts
from budget_model.services.mlflow_report import BatchReport, SyncReport, SyncRequest
from budget_model.services.mlflow_runs import bring_runs
from budget_model.services.mlflow_scan import Scan
from budget_model.services.run_counts import RunCounts
from budget_model.services.workers import Pool
from budget_model.settings import Login, Settings
from budget_model.store.ledger import Ledger
from budget_model.store.lock import sync_lock
from budget_model.store.mlflow_catalog import MlflowCatalog, Source
from budget_model.store.segments import writing_to

OnProgress = Callable[[Progress], None]
OnBatch = Callable[[BatchReport], None]
Open = Callable[[str, str | None], MlflowStore]

IDLE, RUNNING, FAILED, STOPPED = "idle", "running", "failed", "stopped"


def connect(login: Login, uri: str, direct: str | None) -> MlflowStore:
    """A connection to a server, or to its database. Raises RemoteError.

    ``login`` is for a server whose address brings no credentials of its own.
    """
    # What talks to servers takes a while to load, which a dashboard that syncs nothing can do without.
    from budget_model.sources.mlflow.connect import open_store
    from budget_model.sources.mlflow.limits import Credentials

    given = (login.user or login.token) and not has_credentials(uri)
    credentials = Credentials(login.user, login.password, login.token) if given else None
    return open_store(uri, direct, credentials=credentials)


def sync_mlflow(
    settings: Settings,
    request: SyncRequest,
    *,
    on_batch: OnBatch | None = None,
    on_progress: OnProgress | None = None,
    cancel: Event | None = None,
    opened: Open | None = None,
) -> SyncReport:
    """Bring in what is new, late, changed or deleted at a source, in batches that commit whole.

    A source that fails or a ``cancel`` ends the sync early: the report says so, the batches before
    are kept, and the next sync goes on from there. With nothing new there is no new generation.
    ``opened`` connects in another way than by the address.

    Raises SettingsError for an address that cannot be used, StoreBusyError while another process
    syncs the source, StoreError when the home cannot be written.
    """
    address = public_address(request.uri)
    opened = opened or partial(connect, settings.mlflow_login)
    ledger = Ledger(settings)
    try:
        catalog = MlflowCatalog(ledger)
        source = catalog.add(address)
        with sync_lock(settings.home, source.id):
            run = _Run(settings, ledger, catalog, request, on_batch, on_progress, cancel)
            return run.whole(catalog.source(source.id), opened)
    finally:
        ledger.close()


class _Run:
    """One sync, from the source's row before it to the row after it."""

    def __init__(
        self,
        settings: Settings,
        ledger: Ledger,
        catalog: MlflowCatalog,
        request: SyncRequest,
        on_batch: OnBatch | None,
        on_progress: OnProgress | None,
        cancel: Event | None,
    ) -> None:
        self._settings = settings
        self._ledger = ledger
        self._catalog = catalog
        self._request = request
        self._on_batch = on_batch
        self._on_progress = on_progress
        self._cancel = cancel
        self._looked_at = 0
        self._first_ms: int | None = None
        self._report = SyncReport(0, "")
        self._runs = RunCounts()
        self._prompts = PromptCounts()

    def whole(self, source: Source, opened: Open) -> SyncReport:
        """Sync and write down how it went."""
        began_us = now_us()
        self._report = SyncReport(source.id, source.address)
        source = _begun(source, self._request, began_us)
        self._catalog.save(source)
        try:
            store = opened(self._request.uri, self._request.direct or None)
            try:
                self._with(store, source, began_us)
            finally:
                store.close()
        except Cancelled:
            self._report = replace(self._report, stopped=True)
        except StoreError:
            raise
        except TailbudgetError as problem:
            self._report = replace(self._report, error=str(problem))
        return self._ended(began_us)

    def _with(self, store: MlflowStore, source: Source, began_us: int) -> None:
        origin = store.origin
        source = replace(source, kind=origin.kind, pages=origin.pages, note=origin.note)
        self._catalog.save(source)
        self._report = replace(self._report, kind=origin.kind, note=origin.note)
        ids = chosen(store, self._request.experiments)
        with _folder(self._settings, source.id) as folder, Pool(self._settings.workers) as pool:
            committer = Committer(self._settings, self._ledger, pool, self._cancel, self._waiting)
            scan = Scan(
                source,
                store,
                committer,
                request=self._request,
                folder=folder,
                now_us=began_us,
                on_batch=self._put,
                on_look=self._look,
                cancel=self._cancel,
            )
            scan.run(ids)
        if self._request.runs:
            bring_runs(
                self._ledger,
                store,
                ids,
                are_all=not self._request.experiments,
                source=source.address,
                names=assembler_for(self._settings).rules().runs,
                now_us=began_us,
                on_page=self._put_runs,
                cancel=self._cancel,
            )
        if self._request.prompts:
            self._bring_prompts(store, source.address, began_us)
        self._remark(store.origin.note)

    def _bring_prompts(self, store: MlflowStore, address: str, began_us: int) -> None:
        """Traces and runs are in by now; a server without a registry has nothing more to give."""
        try:
            bring_prompts(
                self._ledger,
                store,
                source=address,
                now_us=began_us,
                on_page=self._put_prompts,
                cancel=self._cancel,
            )
        except RemoteError as problem:
            self._remark(f"texts of prompts could not be read: {problem}")

    def _remark(self, said: str) -> None:
        before = self._report.note
        if said and said not in before:
            self._report = replace(self._report, note=f"{before}; {said}" if before else said)

    def _ended(self, began_us: int) -> SyncReport:
        """The source's row at the end is that of the last commit, with how the sync ended."""
        report, at_us = self._report, now_us()
        source = self._catalog.source(report.source_id)
        state = STOPPED if report.stopped else FAILED if report.error else IDLE
        ok_us = began_us if state == IDLE else source.ok_us
        self._report = replace(
            report,
            took_ms=(at_us - began_us) // 1000,
            newest_ms=self._catalog.standing(source.id).newest_ms,
            lag_ms=None if ok_us is None else (at_us - ok_us) // 1000,
        )
        self._catalog.save(
            replace(
                source,
                state=state,
                ended_us=at_us,
                ok_us=ok_us,
                last_error=report.error,
                note=report.note if report.kind else source.note,
                counts=self._report.counts(),
            )
        )
        return self._report

    def _put(self, batch: BatchReport) -> None:
        self._report = self._report.with_batch(batch)
        if self._on_batch is not None:
            self._on_batch(batch)

    def _put_runs(self, counts: RunCounts) -> None:
        self._runs += counts
        self._report = replace(self._report, extras=self._report.extras | self._runs.as_extras())
        self._tell("syncing", 0, 0, f"MLflow: {self._runs.read:,} runs read")

    def _put_prompts(self, counts: PromptCounts) -> None:
        self._prompts += counts
        self._report = replace(self._report, extras=self._report.extras | self._prompts.as_extras())
        self._tell("syncing", 0, 0, f"MLflow: {self._prompts.read:,} prompt versions read")

    def _waiting(self, words: str) -> None:
        self._tell("waiting", 0, 0, words)

    def _look(self, count: int, last: TraceHead) -> None:
        self._looked_at += count
        self._first_ms = last.start_ms if self._first_ms is None else min(self._first_ms, last.start_ms)
        words = f"MLflow: {self._looked_at:,} traces looked at"
        self._tell("syncing", last.start_ms - self._first_ms, now_us() // 1000 - self._first_ms, words)

    def _tell(self, phase: str, done: int, total: int, words: str) -> None:
        if self._on_progress is not None:
            self._on_progress(Progress(phase, "", done, total, self._looked_at, 0.0, None, words))


def chosen(store: MlflowStore, asked: Sequence[str]) -> list[str]:
    """Ids of the experiments asked for by id or name; all without any.

    Raises RemoteError for one that the source does not have.
    """
    experiments = store.experiments()
    if not asked:
        return [one.id for one in experiments]
    by_name = {one.name: one.id for one in experiments} | {one.id: one.id for one in experiments}
    for one in asked:
        if one not in by_name:
            some = ", ".join(repr(known.name) for known in experiments[:10]) or "none"
            more = f" and {len(experiments) - 10:,} more" if len(experiments) > 10 else ""
            raise RemoteError(f"{store.origin.address} has no experiment {one!r}; it has {some}{more}")
    return list(dict.fromkeys(by_name[one] for one in asked))


def _begun(source: Source, request: SyncRequest, began_us: int) -> Source:
    return replace(
        source,
        experiments=request.experiments,
        direct=public_address(request.direct) if request.direct else "",
        interval_ms=request.interval_ms or source.interval_ms,
        state=RUNNING,
        started_us=began_us,
    )


@contextmanager
def _folder(settings: Settings, source_id: int) -> Iterator[Path]:
    """A folder in the home for batches on their way in; what a killed sync left there goes first."""
    folder = settings.home / f"sync-{source_id}"
    shutil.rmtree(folder, ignore_errors=True)
    with writing_to(settings.home):
        folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
