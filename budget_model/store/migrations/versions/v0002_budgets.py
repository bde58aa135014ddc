"""Budgets: their versions, every step of them, and the audit log."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision: str | None = "0001"


def upgrade() -> None:
    """Create the three tables, empty."""
    op.create_table(
        "budget_versions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.UniqueConstraint("name", "version", name="uq_budget_version"),
    )
    op.create_table(
        "budget_steps",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("budget_id", sa.Integer, sa.ForeignKey("budget_versions.id"), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("who", sa.String(200), nullable=False),
        sa.Column("at_us", sa.BigInteger, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.UniqueConstraint("budget_id", "position", name="uq_budget_step"),
    )
    op.create_table(
        "audit_log",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at_us", sa.BigInteger, nullable=False),
        sa.Column("who", sa.String(200), nullable=False),
        sa.Column("action", sa.String(40), nullable=False),
        sa.Column("subject", sa.String(260), nullable=False),
        sa.Column("why", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Drop the three tables and what people wrote in them."""
    for table in ("audit_log", "budget_steps", "budget_versions"):
        op.drop_table(table)
