"""What the ledger remembers of each imported file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from budget_model.records.rejects import Reject
from budget_model.store.ledger import Ledger
from budget_model.store.models import ImportRow, RejectRow


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """One imported file. ``records == accepted + rejected + duplicates + already_known``.

    ``conflicts`` are among the duplicates; ``requests`` and ``spans`` count what the file added or
    changed; ``source_digest`` is the SHA-256 of its content; times are UTC microseconds.
    """

    source_digest: str
    path: str
    format: str
    bytes: int
    records: int
    accepted: int
    rejected: int
    duplicates: int
    already_known: int
    conflicts: int
    requests: int
    spans: int
    warnings: list[dict[str, Any]]  # code, count, example
    started_us: int
    ended_us: int
    state: str
    product_version: str
    id: int | None = None  # None before it is recorded


def find_import(ledger: Ledger, source_digest: str) -> ImportRecord | None:
    """The import of exactly this content, if there was one."""
    with ledger.session() as session:
        row = session.scalars(select(ImportRow).where(ImportRow.source_digest == source_digest)).one_or_none()
        return None if row is None else _record(row)


def list_imports(ledger: Ledger) -> list[ImportRecord]:
    """All imports, the newest first."""
    with ledger.session() as session:
        return [_record(row) for row in session.scalars(select(ImportRow).order_by(ImportRow.id.desc()))]


def rejects_of(ledger: Ledger, import_id: int, offset: int = 0, limit: int | None = None) -> list[Reject]:
    """The kept refusals of one import, in the order of the file."""
    query = select(RejectRow).where(RejectRow.import_id == import_id).order_by(RejectRow.position)
    with ledger.session() as session:
        rows = session.scalars(query.offset(offset).limit(limit))
        return [Reject(row.place, row.value, row.reason) for row in rows]


def record_import(session: Session, record: ImportRecord, rejects: Sequence[Reject]) -> None:
    """Add an import and its kept refusals within the caller's transaction."""
    values = asdict(record)
    values.pop("id")
    row = ImportRow(**values)
    session.add(row)
    session.flush()
    session.add_all(
        RejectRow(import_id=row.id, position=number, place=one.where, value=one.value, reason=one.reason)
        for number, one in enumerate(rejects)
    )


def _record(row: ImportRow) -> ImportRecord:
    return ImportRecord(**{name: getattr(row, name) for name in ImportRecord.__dataclass_fields__})
