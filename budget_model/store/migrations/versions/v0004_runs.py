"""Load-test runs: stages and sweep points."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision: str | None = "0003"

_TEXTS = ("source", "pages", "experiment_id", "name", "parent_id", "status", "lifecycle")


def upgrade() -> None:
    """Create the table, empty."""
    op.create_table(
        "run_points",
        sa.Column("run_id", sa.Text, primary_key=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in _TEXTS),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        *(sa.Column(name, sa.BigInteger) for name in ("start_ms", "end_ms")),
        *(sa.Column(name, sa.JSON, nullable=False) for name in ("labels", "settings", "measured")),
        sa.Column("not_finite", sa.BigInteger, nullable=False),
        sa.Column("digest", sa.String(32), nullable=False),
        sa.Column("noticed_us", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_run_points_source", "run_points", ["source", "experiment_id"])
    op.create_index("ix_run_points_start", "run_points", ["start_ms"])


def downgrade() -> None:
    """Drop the table; what its runs say is still where they came from."""
    op.drop_table("run_points")
