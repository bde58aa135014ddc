"""Connections to MLflow: the sources, and every trace that was seen there."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision: str | None = "0002"


def upgrade() -> None:
    """Create the two tables, empty."""
    op.create_table(
        "mlflow_sources",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("address", sa.Text, nullable=False, unique=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("direct", "pages")),
        sa.Column("kind", sa.String(20), nullable=False),
        *(sa.Column(name, sa.JSON, nullable=False) for name in ("experiments", "watermarks")),
        sa.Column("interval_ms", sa.BigInteger),
        sa.Column("state", sa.String(20), nullable=False),
        *(sa.Column(name, sa.BigInteger) for name in ("started_us", "ended_us", "ok_us")),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("last_error", "note")),
        sa.Column("counts", sa.JSON, nullable=False),
    )
    op.create_table(
        "mlflow_traces",
        sa.Column("trace_id", sa.Text, primary_key=True),
        sa.Column("source_id", sa.Integer, sa.ForeignKey("mlflow_sources.id"), primary_key=True),
        sa.Column("experiment_id", sa.Text, nullable=False),
        sa.Column("start_ms", sa.BigInteger, nullable=False),
        *(sa.Column(name, sa.String(32), nullable=False) for name in ("info_digest", "digest")),
        sa.Column("seen", sa.BigInteger, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("noticed_us", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_mlflow_traces_start", "mlflow_traces", ["source_id", "start_ms"])
    op.create_index("ix_mlflow_traces_state", "mlflow_traces", ["source_id", "state", "start_ms"])


def downgrade() -> None:
    """Drop the two tables; the data that came stays in the segments."""
    for table in ("mlflow_traces", "mlflow_sources"):
        op.drop_table(table)
