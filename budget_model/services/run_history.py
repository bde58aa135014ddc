"""How one metric of a run went, read from where the run is."""

from __future__ import annotations

import math
from dataclasses import dataclass

from budget_model.errors import NoDataError, SettingsError
from budget_model.records.mlflow import History
from budget_model.services.mlflow_sync import connect
from budget_model.settings import Settings
from budget_model.store.ledger import Ledger
from budget_model.store.mlflow_catalog import MlflowCatalog, Source
from budget_model.store.run_catalog import RunCatalog

MOST_POINTS = 25_000
"""Points of one metric that are read at all: the most that a server gives in one answer."""


@dataclass(frozen=True, slots=True)
class RunHistory:
    """The first points of a metric, (step, value), in the order in which they were logged.

    ``is_cut`` says that the run has more. A value that is NaN or infinite is None.
    """

    run_id: str
    metric: str
    points: tuple[tuple[int, float | None], ...]
    is_cut: bool

    @property
    def not_finite(self) -> int:
        """Points that are NaN or infinite."""
        return sum(value is None for _, value in self.points)


def run_history(settings: Settings, run_id: str, metric: str, limit: int) -> RunHistory:
    """At most ``limit`` points, 1 to ``MOST_POINTS``, read within bounded memory and time.

    Raises SettingsError for another limit or an empty name, NoDataError for a run that is not here or
    came from a file, or a metric it did not log, RemoteError when its source cannot be read.
    """
    if not 1 <= limit <= MOST_POINTS:
        raise SettingsError(f"{limit:,} points: 1 to {MOST_POINTS:,} are accepted")
    if not metric.strip():
        raise SettingsError("an empty name names no metric; give the one it was logged with")
    source = _source_of(settings, run_id)
    store = connect(settings.mlflow_login, source.address, source.direct or None)
    try:
        found = store.history(run_id, metric, limit)
    finally:
        store.close()
    if not found.points:
        raise NoDataError(f"run {run_id} logged no metric {metric!r}")
    return _finite(run_id, metric, found)


def _source_of(settings: Settings, run_id: str) -> Source:
    ledger = Ledger(settings)
    try:
        run = RunCatalog(ledger).known([run_id]).get(run_id)
        if run is None:
            raise NoDataError(f"there is no run {run_id!r} here; `tailbudget runs --json` lists their ids")
        found = [one for one in MlflowCatalog(ledger).sources() if one.address == run.source]
    finally:
        ledger.close()
    if not found:
        raise NoDataError(f"run {run_id} came from a file, which holds the last values alone")
    return found[0]


def _finite(run_id: str, metric: str, found: History) -> RunHistory:
    points = tuple((step, value if math.isfinite(value) else None) for step, value in found.points)
    return RunHistory(run_id, metric, points, found.is_cut)
