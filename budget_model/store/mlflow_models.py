"""Tables of connections to MLflow: each source, and each trace that was seen there.

Times in ``_us`` and ``_ms`` are UTC since the epoch.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from budget_model.store.models import Base


class MlflowSourceRow(Base):
    """One source; addresses hold no credentials.

    ``experiments`` are those asked for, as ids or names (empty: all). ``watermarks`` has, by
    experiment id, the start in ms up to which traces were brought in. ``ok_us`` is when the last
    complete sync began: what the source held then is here. ``counts`` are those of the last sync.
    """

    __tablename__ = "mlflow_sources"

    id: Mapped[int] = mapped_column(primary_key=True)
    address: Mapped[str] = mapped_column(Text, unique=True)
    direct: Mapped[str] = mapped_column(Text)
    pages: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(String(20))
    experiments: Mapped[list[str]] = mapped_column(JSON)
    watermarks: Mapped[dict[str, int]] = mapped_column(JSON)
    interval_ms: Mapped[int | None] = mapped_column(BigInteger)
    state: Mapped[str] = mapped_column(String(20))
    started_us: Mapped[int | None] = mapped_column(BigInteger)
    ended_us: Mapped[int | None] = mapped_column(BigInteger)
    ok_us: Mapped[int | None] = mapped_column(BigInteger)
    last_error: Mapped[str] = mapped_column(Text)
    note: Mapped[str] = mapped_column(Text)
    counts: Mapped[dict[str, Any]] = mapped_column(JSON)


class MlflowTraceRow(Base):
    """One trace of a source. ``digest`` is of the document that was imported, "" while it waits.

    ``seen`` rises with each reading that was imported. ``state`` is known, waiting or deleted, and
    ``noticed_us`` is when that was noticed.
    """

    __tablename__ = "mlflow_traces"
    __table_args__ = (
        Index("ix_mlflow_traces_start", "source_id", "start_ms"),
        Index("ix_mlflow_traces_state", "source_id", "state", "start_ms"),
    )

    trace_id: Mapped[str] = mapped_column(Text, primary_key=True)
    source_id: Mapped[int] = mapped_column(ForeignKey("mlflow_sources.id"), primary_key=True)
    experiment_id: Mapped[str] = mapped_column(Text)
    start_ms: Mapped[int] = mapped_column(BigInteger)
    info_digest: Mapped[str] = mapped_column(String(32))
    digest: Mapped[str] = mapped_column(String(32))
    seen: Mapped[int] = mapped_column(BigInteger)
    state: Mapped[str] = mapped_column(String(10))
    noticed_us: Mapped[int] = mapped_column(BigInteger)
