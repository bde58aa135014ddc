"""The ledger: what was imported and which segments count at which generation.

A generation is one committed state of the store. A reader asks ``changes(since)`` and applies them
in order of generation::

    for each generation g in ascending order:
        delete request and gap rows whose trace_key is in the superseded segments of g
        append the requests and token_gaps segments of g

The same loop loads everything (``since=None``). Spans are not part of it: ask for the spans
segments of a generation with ``segments(None, Kind.SPANS)`` whenever one trace is opened.
Readers take no lock; files of an older manifest stay on disk for a grace period.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import or_, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from budget_model.errors import StoreError
from budget_model.settings import Settings
from budget_model.store.database import describe, open_database
from budget_model.store.models import SegmentRow, StateRow
from budget_model.store.schema import Kind


@dataclass(frozen=True, slots=True)
class SegmentRef:
    """One visible Parquet file. Its rows came in generations ``first_generation`` to ``generation``."""

    path: Path
    kind: Kind
    rows: int
    generation: int
    first_generation: int


@dataclass(frozen=True, slots=True)
class Changes:
    """What brings a reader to ``generation``: requests, token_gaps and superseded, by generation.

    With ``reload`` True the reader's own rows must be dropped first and ``segments`` are all of them.
    """

    generation: int
    reload: bool
    segments: tuple[SegmentRef, ...]


class Ledger:
    """Read and write access to one home's ledger; safe to share between threads.

    Raises StoreError when the database cannot be opened or read.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.engine = open_database(settings.database_url)

    def close(self) -> None:
        """Give up all connections."""
        self.engine.dispose()

    @contextmanager
    def session(self) -> Iterator[Session]:
        """One transaction: committed at the end of the block, rolled back when it raises."""
        try:
            with Session(self.engine) as session, session.begin():
                yield session
        except SQLAlchemyError as problem:
            raise StoreError(describe(self.settings.database_url, problem)) from problem

    def generation(self) -> int:
        """The newest committed generation; 0 before the first import."""
        with self.session() as session:
            return session.scalars(select(StateRow.generation)).one()

    def rules_fingerprint(self) -> str | None:
        """Fingerprint of the hop rules behind the facts, None when there are no facts from spans."""
        with self.session() as session:
            return session.scalars(select(StateRow.rules_fingerprint)).one()

    def segments(self, since_generation: int | None, kind: Kind | str) -> list[SegmentRef]:
        """Visible segments of a kind, oldest generation first.

        With ``since_generation`` only those holding rows of a later generation.
        """
        visible = [ref for ref in self._visible(self.generation()) if ref.kind == kind]
        return [ref for ref in visible if since_generation is None or ref.generation > since_generation]

    def changes(self, since_generation: int | None) -> Changes:
        """What a reader at ``since_generation`` (None: a new one) must apply to be up to date.

        A segment that merges generations on both sides of ``since_generation`` cannot be appended,
        so a reload is asked for.
        """
        generation = self.generation()
        facts = [ref for ref in self._visible(generation) if ref.kind is not Kind.SPANS]
        if since_generation is None:
            return Changes(generation, True, tuple(facts))
        newer = [ref for ref in facts if ref.generation > since_generation]
        if any(ref.first_generation <= since_generation for ref in newer):
            return Changes(generation, True, tuple(facts))
        return Changes(generation, False, tuple(newer))

    def _visible(self, generation: int) -> list[SegmentRef]:
        # The generation is read first and then asked for by number, so that both statements
        # speak of the same state even while another process commits in between.
        query = (
            select(SegmentRow)
            .where(SegmentRow.visible_from <= generation)
            .where(or_(SegmentRow.visible_until.is_(None), SegmentRow.visible_until > generation))
            .order_by(SegmentRow.generation, SegmentRow.id)
        )
        with self.session() as session:
            return [self._ref(row) for row in session.scalars(query)]

    def _ref(self, row: SegmentRow) -> SegmentRef:
        path = self.settings.segments_dir / row.file_name
        return SegmentRef(path, Kind(row.kind), row.rows, row.generation, row.first_generation)
