"""The MLflow sources of a home and how each stands, for pages that show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from budget_model.errors import SettingsError, StoreError
from budget_model.services.mlflow_address import has_credentials, public_address
from budget_model.services.mlflow_report import SyncRequest
from budget_model.settings import Settings
from budget_model.store.ledger import Ledger
from budget_model.store.lock import is_syncing
from budget_model.store.mlflow_catalog import MlflowCatalog, Source, Standing
from budget_model.store.prompt_catalog import PromptCatalog
from budget_model.store.run_catalog import RunCatalog

_TURNS_MISSED = 3
"""A repeated sync that is this many intervals late does not come any more, as far as one can tell."""


@dataclass(frozen=True, slots=True)
class Connection:
    """One source as a page shows it.

    ``state`` is new, running, idle, failed, stopped, or interrupted (it died in the middle).
    ``lag_ms`` is how long ago the last complete sync began, None when there was none.
    ``is_overdue``: it is to be repeated, and was not for several turns. ``runs`` are those that came.
    """

    source: Source
    standing: Standing
    state: str
    lag_ms: int | None
    is_overdue: bool
    runs: int = 0

    def request(self) -> SyncRequest:
        """What to ask for to sync it again as it was last."""
        return SyncRequest(self.source.address, self.source.experiments, self.source.direct)


def connections(settings: Settings, ledger: Ledger, now_us: int) -> list[Connection]:
    """All sources, in the order in which they were added."""
    catalog, runs = MlflowCatalog(ledger), RunCatalog(ledger)
    return [
        replace(_connection(settings, catalog, source, now_us), runs=runs.count(source.address))
        for source in catalog.sources()
    ]


def check_address(uri: str) -> str:
    """The address to keep. Raises SettingsError when it cannot be used or holds credentials."""
    address = public_address(uri)
    if has_credentials(uri):
        raise SettingsError(
            f"{address}: leave the credentials out, they would not be kept; set MLFLOW_TRACKING_USERNAME and "
            "MLFLOW_TRACKING_PASSWORD, MLFLOW_TRACKING_TOKEN or PGPASSWORD where the dashboard is started"
        )
    return address


def forget(ledger: Ledger, source_id: int) -> None:
    """Remove a source with its prompts. Raises StoreError for one from which a trace or a run came."""
    catalog = MlflowCatalog(ledger)
    address = catalog.source(source_id).address
    if RunCatalog(ledger).count(address):
        raise StoreError("runs of this source are listed, so it is kept")
    catalog.forget(source_id)
    PromptCatalog(ledger).forget(address)


def deleted_us(ledger: Ledger, trace_id: str) -> int | None:
    """When it was noticed that the trace is gone from every source that had it; None when it is not."""
    return MlflowCatalog(ledger).deleted_us(ids_in_mlflow(trace_id))


def ids_in_mlflow(trace_id: str) -> Sequence[str]:
    """What a trace of the store may be called in MLflow."""
    # In the store an id of 32 hexadecimal digits has lost the prefix it has in MLflow.
    return [trace_id, f"tr-{trace_id}"]


def _connection(settings: Settings, catalog: MlflowCatalog, source: Source, now_us: int) -> Connection:
    state = source.state
    if is_syncing(settings.home, source.id):
        state = "running"
    elif state == "running":
        state = "interrupted"
    lag_ms = None if source.ok_us is None else max(0, now_us - source.ok_us) // 1000
    return Connection(source, catalog.standing(source.id), state, lag_ms, _is_overdue(source, state, now_us))


def _is_overdue(source: Source, state: str, now_us: int) -> bool:
    if source.interval_ms is None or state == "running":
        return False
    since_us = max(source.started_us or 0, source.ended_us or 0)
    return now_us - since_us > _TURNS_MISSED * source.interval_ms * 1000
