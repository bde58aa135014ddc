"""What the ledger knows of load-test runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from sqlalchemy import delete, func, insert, select, update

from budget_model.store.ledger import Ledger
from budget_model.store.mlflow_catalog import pieces
from budget_model.store.run_models import RunRow

KNOWN, IN_PROGRESS, DELETED, REJECTED = "known", "in progress", "deleted", "rejected"


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One run as last written; see ``RunRow`` and ``RunPoint`` for what the fields mean."""

    run_id: str
    source: str
    pages: str
    experiment_id: str
    name: str
    state: str
    digest: str
    noticed_us: int
    parent_id: str = ""
    status: str = ""
    lifecycle: str = ""
    reason: str = ""
    start_ms: int | None = None
    end_ms: int | None = None
    labels: dict[str, str] = field(default_factory=dict)
    settings: dict[str, float] = field(default_factory=dict)
    measured: dict[str, float] = field(default_factory=dict)
    not_finite: int = 0


class RunCatalog:
    """Runs in the ledger's database; safe to share between threads.

    Raises StoreError when the database cannot be used.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def known(self, run_ids: Sequence[str]) -> dict[str, StoredRun]:
        """Those of the runs that were seen before, by id."""
        with self._ledger.session() as session:
            return {
                row.run_id: _run(row)
                for ids in pieces(run_ids)
                for row in session.scalars(select(RunRow).where(RunRow.run_id.in_(ids)))
            }

    def put(self, runs: Sequence[StoredRun]) -> None:
        """Write runs in one transaction; whatever was known of them is replaced."""
        with self._ledger.session() as session:
            for some in pieces(runs):
                session.execute(delete(RunRow).where(RunRow.run_id.in_([one.run_id for one in some])))
                session.execute(insert(RunRow), [asdict(one) for one in some])

    def count(self, source: str) -> int:
        """How many runs came from a source and are there still, refused ones included."""
        query = select(func.count()).where(RunRow.source == source, RunRow.state != DELETED)
        with self._ledger.session() as session:
            return session.scalars(query).one()

    def mark_gone(self, source: str, experiment_ids: Sequence[str] | None, met: set[str], now_us: int) -> int:
        """Mark runs of the source as deleted that a whole reading did not meet; how many were marked.

        ``experiment_ids`` are those that were read; None when all of the source were.
        """
        query = select(RunRow.run_id).where(RunRow.source == source, RunRow.state != DELETED)
        if experiment_ids is not None:
            query = query.where(RunRow.experiment_id.in_(experiment_ids))
        with self._ledger.session() as session:
            gone = [one for one in session.scalars(query) if one not in met]
            for ids in pieces(gone):
                marked = update(RunRow).where(RunRow.run_id.in_(ids))
                session.execute(marked.values(state=DELETED, digest="", noticed_us=now_us))
        return len(gone)

    def all(self) -> list[StoredRun]:
        """Every run, the latest start first, those without a start last."""
        query = select(RunRow).order_by(RunRow.start_ms.is_(None), RunRow.start_ms.desc(), RunRow.run_id)
        with self._ledger.session() as session:
            return [_run(row) for row in session.scalars(query)]


def _run(row: RunRow) -> StoredRun:
    return StoredRun(**{name: getattr(row, name) for name in StoredRun.__dataclass_fields__})
