"""The ledger: imports, rejects, segments and the state row."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision: str | None = None

_IMPORT_COUNTS = (
    "bytes",
    "records",
    "accepted",
    "rejected",
    "duplicates",
    "already_known",
    "conflicts",
    "requests",
    "spans",
)


def upgrade() -> None:
    """Create the four tables and the first generation, 0: nothing imported."""
    op.create_table("imports", sa.Column("id", sa.Integer, primary_key=True), *_import_columns())
    op.create_table(
        "rejects",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("import_id", sa.Integer, sa.ForeignKey("imports.id"), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("place", "value", "reason")),
    )
    op.create_index("ix_rejects_import_position", "rejects", ["import_id", "position"])
    op.create_table("segments", sa.Column("id", sa.Integer, primary_key=True), *_segment_columns())
    state = op.create_table(
        "state",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("generation", sa.BigInteger, nullable=False),
        sa.Column("rules_fingerprint", sa.Text),
    )
    op.bulk_insert(state, [{"id": 1, "generation": 0, "rules_fingerprint": None}])


def downgrade() -> None:
    """Drop everything; the segments themselves stay on disk."""
    for table in ("state", "segments", "rejects", "imports"):
        op.drop_table(table)


def _import_columns() -> list[sa.Column[Any]]:
    return [
        sa.Column("source_digest", sa.String(64), nullable=False, unique=True),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("format", sa.String(40), nullable=False),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in _IMPORT_COUNTS),
        sa.Column("warnings", sa.JSON, nullable=False),
        sa.Column("started_us", sa.BigInteger, nullable=False),
        sa.Column("ended_us", sa.BigInteger, nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("product_version", sa.String(40), nullable=False),
    ]


def _segment_columns() -> list[sa.Column[Any]]:
    needed = ("rows", "bytes", "first_generation", "generation", "visible_from")
    return [
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("file_name", sa.String(120), nullable=False, unique=True),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in needed),
        sa.Column("visible_until", sa.BigInteger),
        sa.Column("retired_us", sa.BigInteger),
    ]
