"""What the ledger remembers of MLflow: sources with their state, and the traces seen at each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeVar

from sqlalchemy import delete, func, insert, select, tuple_, update
from sqlalchemy.orm import Session

from budget_model.errors import StoreError
from budget_model.store.ledger import Ledger
from budget_model.store.mlflow_models import MlflowSourceRow, MlflowTraceRow

KNOWN, WAITING, DELETED = "known", "waiting", "deleted"

_IDS_AT_ONCE = 1_000

T = TypeVar("T")


def pieces(values: Sequence[T], size: int = _IDS_AT_ONCE) -> Iterator[Sequence[T]]:
    """The values in runs of at most ``size``, in order."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


@dataclass(frozen=True, slots=True)
class Source:
    """One source as last written; see ``MlflowSourceRow`` for what the fields mean."""

    id: int
    address: str
    direct: str = ""
    pages: str = ""
    kind: str = ""
    experiments: tuple[str, ...] = ()
    watermarks: dict[str, int] = field(default_factory=dict)
    interval_ms: int | None = None
    state: str = "new"
    started_us: int | None = None
    ended_us: int | None = None
    ok_us: int | None = None
    last_error: str = ""
    note: str = ""
    counts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SeenTrace:
    """One trace of a source; see ``MlflowTraceRow``. ``digest`` is "" while nothing of it is here."""

    trace_id: str
    experiment_id: str
    start_ms: int
    info_digest: str
    digest: str
    seen: int
    state: str
    noticed_us: int


@dataclass(frozen=True, slots=True)
class Standing:
    """Traces of a source by state, the newest start, and the earliest start of those that wait."""

    known: int
    waiting: int
    deleted: int
    newest_ms: int | None
    waiting_since_ms: int | None


class MlflowCatalog:
    """Sources and their traces in the ledger's database; safe to share between threads.

    Only whoever holds a source's lock writes its rows. Raises StoreError when the database cannot
    be used.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def sources(self) -> list[Source]:
        """All sources, in the order in which they were added."""
        with self._ledger.session() as session:
            rows = session.scalars(select(MlflowSourceRow).order_by(MlflowSourceRow.id))
            return [_source(row) for row in rows]

    def source(self, source_id: int) -> Source:
        """One source. Raises StoreError when it is not there (any more)."""
        with self._ledger.session() as session:
            row = session.get(MlflowSourceRow, source_id)
            if row is None:
                raise StoreError(f"there is no MLflow source {source_id} in the ledger")
            return _source(row)

    def add(self, address: str) -> Source:
        """The source at this address, made when it is new."""
        with self._ledger.session() as session:
            found = session.scalar(select(MlflowSourceRow).where(MlflowSourceRow.address == address))
            if found is not None:
                return _source(found)
            row = MlflowSourceRow(**_columns(Source(0, address)))
            session.add(row)
            session.flush()
            return _source(row)

    def save(self, source: Source) -> None:
        """Write all of a source; its address stays."""
        with self._ledger.session() as session:
            save_source(session, source)

    def forget(self, source_id: int) -> None:
        """Remove a source of which no trace was ever seen. Raises StoreError for any other."""
        with self._ledger.session() as session:
            if session.scalar(_of(source_id).limit(1)) is not None:
                raise StoreError("traces of this source are in the figures, so it is kept")
            session.execute(delete(MlflowSourceRow).where(MlflowSourceRow.id == source_id))

    def repeat(self, address: str, interval_ms: int | None) -> None:
        """Write down how often the source is synced; None: no longer by itself."""
        with self._ledger.session() as session:
            found = update(MlflowSourceRow).where(MlflowSourceRow.address == address)
            session.execute(found.values(interval_ms=interval_ms))

    def known(self, source_id: int, trace_ids: Sequence[str]) -> dict[str, SeenTrace]:
        """Those of the traces that were seen before, by id."""
        found: dict[str, SeenTrace] = {}
        with self._ledger.session() as session:
            for ids in pieces(trace_ids):
                query = _of(source_id).where(MlflowTraceRow.trace_id.in_(ids))
                found.update((row.trace_id, _trace(row)) for row in session.scalars(query))
        return found

    def expected(
        self, source_id: int, experiment_ids: Sequence[str], from_ms: int, below_ms: int | None
    ) -> Iterator[list[SeenTrace]]:
        """Traces not deleted that began in [from_ms, below_ms), in pages; None: no upper end."""
        query = _of(source_id).where(
            MlflowTraceRow.experiment_id.in_(experiment_ids),
            MlflowTraceRow.state != DELETED,
            MlflowTraceRow.start_ms >= from_ms,
        )
        if below_ms is not None:
            query = query.where(MlflowTraceRow.start_ms < below_ms)
        place = tuple_(MlflowTraceRow.start_ms, MlflowTraceRow.trace_id)
        query = query.order_by(MlflowTraceRow.start_ms, MlflowTraceRow.trace_id).limit(_IDS_AT_ONCE)
        page = query
        while found := self._traces(page):
            yield found
            page = query.where(place > (found[-1].start_ms, found[-1].trace_id))

    def waiting(self, source_id: int, experiment_ids: Sequence[str]) -> list[SeenTrace]:
        """Traces that had not ended when they were last looked at."""
        return self._traces(
            _of(source_id).where(
                MlflowTraceRow.experiment_id.in_(experiment_ids), MlflowTraceRow.state == WAITING
            )
        )

    def standing(self, source_id: int) -> Standing:
        """How many traces of a source are in which state."""
        query = (
            select(
                MlflowTraceRow.state,
                func.count(),
                func.max(MlflowTraceRow.start_ms),
                func.min(MlflowTraceRow.start_ms),
            )
            .where(MlflowTraceRow.source_id == source_id)
            .group_by(MlflowTraceRow.state)
        )
        with self._ledger.session() as session:
            found = {state: (n, newest, oldest) for state, n, newest, oldest in session.execute(query)}
        nothing = (0, None, None)
        return Standing(
            known=found.get(KNOWN, nothing)[0],
            waiting=found.get(WAITING, nothing)[0],
            deleted=found.get(DELETED, nothing)[0],
            newest_ms=max((newest for _, newest, _ in found.values()), default=None),
            waiting_since_ms=found.get(WAITING, nothing)[2],
        )

    def deleted_us(self, trace_ids: Sequence[str]) -> int | None:
        """When the first of these ids was noticed to be gone everywhere; None while a source has it."""
        query = select(MlflowTraceRow).where(MlflowTraceRow.trace_id.in_(trace_ids))
        found = self._traces(query)
        if not found or any(one.state != DELETED for one in found):
            return None
        return min(one.noticed_us for one in found)

    def remember(self, source: Source, traces: Sequence[SeenTrace]) -> None:
        """Write traces and the source's own row in one transaction of their own."""
        with self._ledger.session() as session:
            remember(session, source, traces)

    def _traces(self, query: Any) -> list[SeenTrace]:
        with self._ledger.session() as session:
            return [_trace(row) for row in session.scalars(query)]


def remember(session: Session, source: Source, traces: Sequence[SeenTrace]) -> None:
    """Write traces (whatever was known of them is replaced) and the source within a transaction."""
    for some in pieces(traces):
        session.execute(
            delete(MlflowTraceRow).where(
                MlflowTraceRow.source_id == source.id,
                MlflowTraceRow.trace_id.in_([one.trace_id for one in some]),
            )
        )
        session.execute(insert(MlflowTraceRow), [{**asdict(one), "source_id": source.id} for one in some])
    save_source(session, source)


def save_source(session: Session, source: Source) -> None:
    """Write all of a source within a transaction."""
    session.execute(update(MlflowSourceRow).where(MlflowSourceRow.id == source.id).values(**_columns(source)))


def _of(source_id: int) -> Any:
    return select(MlflowTraceRow).where(MlflowTraceRow.source_id == source_id)


def _columns(source: Source) -> dict[str, Any]:
    values = asdict(source)
    del values["id"]
    return {**values, "experiments": list(source.experiments)}


def _source(row: MlflowSourceRow) -> Source:
    values = {name: getattr(row, name) for name in Source.__dataclass_fields__}
    return replace(Source(**values), experiments=tuple(row.experiments))


def _trace(row: MlflowTraceRow) -> SeenTrace:
    return SeenTrace(**{name: getattr(row, name) for name in SeenTrace.__dataclass_fields__})
