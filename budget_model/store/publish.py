"""The one transaction that makes written segments count, and the housekeeping a writer does first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from budget_model.store.ledger import Ledger, SegmentRef
from budget_model.store.models import SegmentRow, StateRow
from budget_model.store.segments import GRACE_US, Staged, collect_orphans, moved_in, set_apart


@dataclass(frozen=True, slots=True)
class Merged:
    """A staged file that takes the place of older ones and holds no newer data than they did."""

    staged: Staged
    first_generation: int
    generation: int


@dataclass(frozen=True, slots=True)
class Publication:
    """What becomes visible (``added``, ``merged``) and what ceases to be, all at once.

    ``rules_fingerprint`` None leaves the recorded one. ``also`` runs in the same transaction.
    """

    added: Sequence[Staged] = ()
    merged: Sequence[Merged] = ()
    retired: Sequence[SegmentRef] = ()
    rules_fingerprint: str | None = None
    also: Callable[[Session], None] | None = None

    @property
    def changes_data(self) -> bool:
        """Whether any file comes or goes, so that there is a new generation."""
        return bool(self.added or self.merged or self.retired)


def publish(ledger: Ledger, what: Publication, now_us: int) -> int:
    """Rename the staged files and commit; the answer is the generation that holds them.

    The caller holds the writer lock. Nothing is visible unless this returns.
    """
    added = moved_in(ledger.settings, what.added)
    merged = moved_in(ledger.settings, [one.staged for one in what.merged])
    with ledger.session() as session:
        state = session.scalars(select(StateRow)).one()
        if what.changes_data:
            state.generation += 1
        if what.rules_fingerprint is not None:
            state.rules_fingerprint = what.rules_fingerprint
        now = state.generation
        session.add_all(_row(file, now, now, now) for file in added)
        for file, one in zip(merged, what.merged, strict=True):
            session.add(_row(file, one.first_generation, one.generation, now))
        _retire(session, what.retired, now, now_us)
        if what.also is not None:
            what.also(session)
    return now


def _row(file: Staged, first_generation: int, generation: int, visible_from: int) -> SegmentRow:
    return SegmentRow(
        kind=file.kind.value,
        file_name=file.path.name,
        rows=file.rows,
        bytes=file.path.stat().st_size,
        first_generation=first_generation,
        generation=generation,
        visible_from=visible_from,
    )


def _retire(session: Session, refs: Sequence[SegmentRef], generation: int, now_us: int) -> None:
    session.execute(
        update(SegmentRow)
        .where(SegmentRow.id.in_([ref.id for ref in refs]))
        .values(visible_until=generation, retired_us=now_us)
    )


def sweep(ledger: Ledger, now_us: int) -> list[str]:
    """Forget files retired longer ago than the grace period and delete what no row names.

    A ledger that never held anything deletes no finished file; it sets them apart. The caller holds
    the writer lock. The answer is the names of what went.
    """
    if ledger.manifest().generation == 0:
        return set_apart(ledger.settings) + collect_orphans(ledger.settings, ())
    with ledger.session() as session:
        session.execute(delete(SegmentRow).where(SegmentRow.retired_us < now_us - GRACE_US))
    return collect_orphans(ledger.settings, known_files(ledger))


def known_files(ledger: Ledger) -> list[str]:
    """Names of all files that the ledger knows, the retired ones included."""
    query = select(SegmentRow.file_name)
    with ledger.session() as session:
        return list(session.scalars(query))
