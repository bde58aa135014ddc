"""The ledger: what was imported and which segments count at which generation.

A generation is one committed state of the store, and ``manifest()`` is all of its files. A reader
of requests asks for ``changes(since)`` and applies them::

    for each generation g in ascending order:
        drop rows read so far whose trace_key is in the superseded segments of g
        append the requests and token_gaps segments of g

The same loop loads everything (``since`` None). Readers take no lock: files of an older manifest
stay on disk for a grace period.
"""

from __future__ import annotations

import weakref
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
from budget_model.store.schema import SCHEMAS, Kind


@dataclass(frozen=True, slots=True)
class SegmentRef:
    """One visible Parquet file. Its rows came in generations ``first_generation`` to ``generation``."""

    path: Path
    kind: Kind
    rows: int
    generation: int
    first_generation: int
    id: int = 0  # of its row in the ledger
    visible_from: int = 0  # generation whose manifest named it first


@dataclass(frozen=True, slots=True)
class Manifest:
    """All files of one generation, oldest data first."""

    generation: int
    segments: tuple[SegmentRef, ...]

    def of(self, kind: Kind) -> list[SegmentRef]:
        """The files of one kind."""
        return [ref for ref in self.segments if ref.kind is kind]

    def paths(self, kind: Kind) -> list[Path]:
        """Where the files of one kind are."""
        return [ref.path for ref in self.of(kind)]


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
        # A ledger nobody holds any more closes its connections, whether or not it was told to.
        weakref.finalize(self, self.engine.dispose)

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

    def manifest(self) -> Manifest:
        """The files of the newest generation."""
        # The generation is read first and then asked for by number, so that both statements
        # speak of the same state even while another process commits in between.
        generation = self.generation()
        query = (
            select(SegmentRow)
            .where(SegmentRow.visible_from <= generation)
            .where(or_(SegmentRow.visible_until.is_(None), SegmentRow.visible_until > generation))
            .order_by(SegmentRow.generation, SegmentRow.id)
        )
        with self.session() as session:
            return Manifest(generation, tuple(self._ref(row) for row in session.scalars(query)))

    def segments(self, since_generation: int | None, kind: Kind | str) -> list[SegmentRef]:
        """Visible segments of a kind, oldest first; with ``since_generation`` only later ones."""
        refs = self.manifest().of(Kind(kind))
        return [ref for ref in refs if since_generation is None or ref.generation > since_generation]

    def changes(self, since_generation: int | None) -> Changes:
        """What a reader at ``since_generation`` (None: a new one) must apply to be up to date.

        When files that the reader holds were merged into others meanwhile, a reload is asked for.
        """
        manifest = self.manifest()
        facts = tuple(ref for ref in manifest.segments if ref.kind is not Kind.SPANS)
        if since_generation is None:
            return Changes(manifest.generation, True, facts)
        newer = tuple(ref for ref in facts if ref.generation > since_generation)
        if any(ref.first_generation <= since_generation < ref.visible_from for ref in facts):
            return Changes(manifest.generation, True, facts)
        return Changes(manifest.generation, False, newer)

    def _ref(self, row: SegmentRow) -> SegmentRef:
        path = self.settings.segments_dir / row.file_name
        if row.kind not in SCHEMAS:
            words = f"the ledger names a segment of the unknown kind {row.kind!r}"
            raise StoreError(f"{words}: run `tailbudget doctor --repair`")
        known = (Kind(row.kind), row.rows, row.generation, row.first_generation, row.id, row.visible_from)
        return SegmentRef(path, *known)
