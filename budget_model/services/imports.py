"""What was imported so far, and what was refused of it."""

from __future__ import annotations

from dataclasses import dataclass

from budget_model.records.rejects import Reject, Warned
from budget_model.services.import_report import Counts
from budget_model.store.imports import ImportRecord, list_imports, rejects_of
from budget_model.store.ledger import Ledger


@dataclass(frozen=True, slots=True)
class PastImport:
    """One imported file; times are UTC microseconds."""

    id: int
    path: str
    format: str
    bytes: int
    counts: Counts
    conflicts: int
    warnings: tuple[Warned, ...]
    started_us: int
    ended_us: int


def past_imports(ledger: Ledger) -> list[PastImport]:
    """All imports, the newest first."""
    return [_past(record) for record in list_imports(ledger)]


def rejects_page(ledger: Ledger, import_id: int, offset: int = 0, limit: int = 50) -> list[Reject]:
    """Refused records of one import in file order; only the first thousand of a file are kept."""
    return rejects_of(ledger, import_id, offset, limit)


def _past(record: ImportRecord) -> PastImport:
    names = ("records", "accepted", "rejected", "duplicates", "already_known", "requests", "spans")
    return PastImport(
        id=record.id or 0,
        path=record.path,
        format=record.format,
        bytes=record.bytes,
        counts=Counts(**{name: getattr(record, name) for name in names}),
        conflicts=record.conflicts,
        warnings=tuple(Warned(**warned) for warned in record.warnings),
        started_us=record.started_us,
        ended_us=record.ended_us,
    )
