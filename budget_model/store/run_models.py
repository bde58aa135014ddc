"""Table of load-test runs: stages and sweep points. Times in ``_ms`` and ``_us`` are UTC since the epoch."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from budget_model.store.models import Base


class RunRow(Base):
    """One run, by its id, which is unique among servers.

    ``source`` is the public address it was read from, "" for a file, and ``pages`` where MLflow's own
    pages are, "" when unknown. ``state`` is known, in progress, deleted or rejected; ``reason`` says in
    one sentence why it was rejected. ``digest`` is of all that was read. ``noticed_us`` is when it
    became what it is.
    """

    __tablename__ = "run_points"
    __table_args__ = (
        Index("ix_run_points_source", "source", "experiment_id"),
        Index("ix_run_points_start", "start_ms"),
    )

    run_id: Mapped[str] = mapped_column(Text, primary_key=True)
    source: Mapped[str] = mapped_column(Text)
    pages: Mapped[str] = mapped_column(Text)
    experiment_id: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    parent_id: Mapped[str] = mapped_column(Text)
    status: Mapped[str] = mapped_column(Text)
    lifecycle: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(String(20))
    reason: Mapped[str] = mapped_column(Text)
    start_ms: Mapped[int | None] = mapped_column(BigInteger)
    end_ms: Mapped[int | None] = mapped_column(BigInteger)
    labels: Mapped[dict[str, str]] = mapped_column(JSON)
    settings: Mapped[dict[str, float]] = mapped_column(JSON)
    measured: Mapped[dict[str, float]] = mapped_column(JSON)
    not_finite: Mapped[int] = mapped_column(BigInteger)
    digest: Mapped[str] = mapped_column(String(32))
    noticed_us: Mapped[int] = mapped_column(BigInteger)
