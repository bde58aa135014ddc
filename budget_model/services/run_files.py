"""Bringing in files of exported runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from budget_model.records.mlflow import Run
from budget_model.records.rejects import Reject
from budget_model.services.clock import now_us
from budget_model.services.making import assembler_for
from budget_model.services.run_counts import RunCounts
from budget_model.services.run_keeping import Place, keep
from budget_model.settings import Settings
from budget_model.sources.mlflow_runs import read
from budget_model.store.ledger import Ledger
from budget_model.store.run_catalog import RunCatalog

_RUNS_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class RunFileReport:
    """What became of the runs of one file."""

    path: str
    counts: RunCounts
    rejects: tuple[Reject, ...]


def import_runs(settings: Settings, path: Path) -> RunFileReport:
    """Bring in an answer of runs/search or a table of ``mlflow.search_runs``; again changes nothing.

    Raises SourceError when the file holds no runs, StoreError when the home cannot be written,
    MappingError when the user's rules cannot be used.
    """
    counts, rejects, at_us = RunCounts(), list[Reject](), now_us()
    place = Place(names=assembler_for(settings).rules().runs)
    ledger = Ledger(settings)
    try:
        catalog = RunCatalog(ledger)
        for some in _pieces(read(path)):
            unread = [one for one in some if isinstance(one, Reject)]
            kept = keep(catalog, [one for one in some if isinstance(one, Run)], place, at_us)
            counts += kept.counts + RunCounts(read=len(unread), rejected=len(unread))
            rejects += [*unread, *kept.rejects]
    finally:
        ledger.close()
    return RunFileReport(str(path), counts, tuple(rejects))


def _pieces(found: Iterable[Run | Reject]) -> Iterator[list[Run | Reject]]:
    left = iter(found)
    while some := list(islice(left, _RUNS_AT_ONCE)):
        yield some
