"""The part of a sync with MLflow that brings runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event

from budget_model.normalise.mlflow_run import Names
from budget_model.records.mlflow import MlflowStore
from budget_model.services.run_counts import RunCounts
from budget_model.services.run_keeping import Place, keep
from budget_model.services.workers import check
from budget_model.store.ledger import Ledger
from budget_model.store.run_catalog import RunCatalog


def bring_runs(
    ledger: Ledger,
    store: MlflowStore,
    experiment_ids: Sequence[str],
    *,
    are_all: bool,
    source: str,
    names: Names,
    now_us: int,
    on_page: Callable[[RunCounts], None],
    cancel: Event | None = None,
) -> None:
    """Read all runs of the experiments, page by page, and mark those that are gone.

    ``are_all`` says that the source has no other experiments, so that runs of those it had are gone.
    ``source`` is the public address they are remembered by, ``names`` are the user's own names by
    field. ``on_page`` gets the counts of each page that was written. Raises RemoteError, StoreError or
    Cancelled; pages written before stay.
    """
    catalog, place, met = RunCatalog(ledger), Place(source, store.origin.pages, names), set[str]()
    for page in store.runs(experiment_ids):
        check(cancel)
        met.update(run.run_id for run in page)
        on_page(keep(catalog, page, place, now_us).counts)
    gone = catalog.mark_gone(source, None if are_all else experiment_ids, met, now_us)
    on_page(RunCounts(deleted=gone))
