"""A sync repeated until it is told to stop; a source that fails is tried again at the next turn."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event

from budget_model.errors import Cancelled, SettingsError, TailbudgetError
from budget_model.services.mlflow_address import public_address
from budget_model.services.mlflow_report import SyncReport, SyncRequest
from budget_model.settings import Settings
from budget_model.store.ledger import Ledger
from budget_model.store.mlflow_catalog import MlflowCatalog


def keep_syncing(
    settings: Settings,
    request: SyncRequest,
    sync: Callable[[], SyncReport],
    *,
    stop: Event,
    on_report: Callable[[SyncReport], None],
    on_problem: Callable[[str], None],
) -> None:
    """Call ``sync`` every ``request.interval_ms``, from start to start, until ``stop`` is set.

    A sync that takes longer is followed by the next at once. What goes wrong is told to
    ``on_problem``; only an address or option that cannot be used raises SettingsError.
    """
    every_s = (request.interval_ms or 0) / 1000
    try:
        while not stop.is_set():
            began_s = time.monotonic()
            try:
                on_report(sync())
            except (Cancelled, SettingsError):
                raise
            except TailbudgetError as problem:
                on_problem(str(problem))
            stop.wait(max(0.0, began_s + every_s - time.monotonic()))
    finally:
        _no_longer_repeated(settings, public_address(request.uri))


def _no_longer_repeated(settings: Settings, address: str) -> None:
    ledger = Ledger(settings)
    try:
        MlflowCatalog(ledger).repeat(address, None)
    finally:
        ledger.close()
