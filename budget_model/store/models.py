"""Tables of the ledger: which files were imported, what was refused, which segments count.

Every change of these tables needs a migration in ``migrations/versions``. Times are UTC
microseconds. Only types and SQL that SQLite and PostgreSQL share are used.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Base of every table of the ledger."""


class ImportRow(Base):
    """One imported file; there is a row only once all of it is visible.

    ``records == accepted + rejected + duplicates + already_known``; ``conflicts`` are those of the
    duplicates whose content differed. ``requests`` and ``spans`` count what the file added or changed.
    """

    __tablename__ = "imports"

    id: Mapped[int] = mapped_column(primary_key=True)
    source_digest: Mapped[str] = mapped_column(String(64), unique=True)
    path: Mapped[str] = mapped_column(Text)
    format: Mapped[str] = mapped_column(String(40))
    bytes: Mapped[int] = mapped_column(BigInteger)
    records: Mapped[int] = mapped_column(BigInteger)
    accepted: Mapped[int] = mapped_column(BigInteger)
    rejected: Mapped[int] = mapped_column(BigInteger)
    duplicates: Mapped[int] = mapped_column(BigInteger)
    already_known: Mapped[int] = mapped_column(BigInteger)
    conflicts: Mapped[int] = mapped_column(BigInteger)
    requests: Mapped[int] = mapped_column(BigInteger)
    spans: Mapped[int] = mapped_column(BigInteger)
    warnings: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    started_us: Mapped[int] = mapped_column(BigInteger)
    ended_us: Mapped[int] = mapped_column(BigInteger)
    state: Mapped[str] = mapped_column(String(20))
    product_version: Mapped[str] = mapped_column(String(40))


class RejectRow(Base):
    """One refused record of an import; only the first ones are kept, ``ImportRow.rejected`` is the total."""

    __tablename__ = "rejects"
    __table_args__ = (Index("ix_rejects_import_position", "import_id", "position"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    import_id: Mapped[int] = mapped_column(ForeignKey("imports.id"))
    position: Mapped[int]
    place: Mapped[str] = mapped_column(Text)
    value: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)


class SegmentRow(Base):
    """One Parquet file below the segments folder and the generations in which it counts.

    Its data came in generations ``first_generation`` to ``generation``. It is part of the manifest
    of generation g when ``visible_from <= g`` and (``visible_until`` is null or ``g < visible_until``).
    """

    __tablename__ = "segments"

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(20))
    file_name: Mapped[str] = mapped_column(String(120), unique=True)
    rows: Mapped[int] = mapped_column(BigInteger)
    bytes: Mapped[int] = mapped_column(BigInteger)
    first_generation: Mapped[int] = mapped_column(BigInteger)
    generation: Mapped[int] = mapped_column(BigInteger)
    visible_from: Mapped[int] = mapped_column(BigInteger)
    visible_until: Mapped[int | None] = mapped_column(BigInteger)
    retired_us: Mapped[int | None] = mapped_column(BigInteger)


class StateRow(Base):
    """The ledger's one row of state: the newest generation and the rules its facts were made with."""

    __tablename__ = "state"

    id: Mapped[int] = mapped_column(primary_key=True)
    generation: Mapped[int] = mapped_column(BigInteger)
    rules_fingerprint: Mapped[str | None] = mapped_column(Text)
