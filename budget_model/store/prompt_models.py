"""Table of prompt versions. Times in ``_ms`` and ``_us`` are UTC since the epoch."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from budget_model.store.models import Base


class PromptRow(Base):
    """One version of a prompt, as one source's registry holds it.

    ``source`` is the public address it was read from. ``text`` is null when its ``chars`` are too many
    to be kept; with ``is_chat`` it is JSON of messages. ``digest`` is of all that was read and
    ``noticed_us`` when it became what it is.
    """

    __tablename__ = "prompt_versions"
    __table_args__ = (Index("ix_prompt_versions_name", "name"),)

    source: Mapped[str] = mapped_column(Text, primary_key=True)
    name: Mapped[str] = mapped_column(Text, primary_key=True)
    version: Mapped[str] = mapped_column(Text, primary_key=True)
    text: Mapped[str | None] = mapped_column(Text)
    chars: Mapped[int] = mapped_column(BigInteger)
    is_chat: Mapped[bool] = mapped_column(Boolean)
    created_ms: Mapped[int | None] = mapped_column(BigInteger)
    digest: Mapped[str] = mapped_column(String(32))
    noticed_us: Mapped[int] = mapped_column(BigInteger)
