"""Prompt versions with their texts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision: str | None = "0004"


def upgrade() -> None:
    """Create the table, empty."""
    op.create_table(
        "prompt_versions",
        *(sa.Column(name, sa.Text, primary_key=True) for name in ("source", "name", "version")),
        sa.Column("text", sa.Text),
        sa.Column("chars", sa.BigInteger, nullable=False),
        sa.Column("is_chat", sa.Boolean, nullable=False),
        sa.Column("created_ms", sa.BigInteger),
        sa.Column("digest", sa.String(32), nullable=False),
        sa.Column("noticed_us", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_prompt_versions_name", "prompt_versions", ["name"])


def downgrade() -> None:
    """Drop the table; the texts are still in the registries they came from."""
    op.drop_table("prompt_versions")
