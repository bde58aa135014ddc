"""What the settings allow the query engine."""

from __future__ import annotations

from budget_model.queries.engine import Limits
from budget_model.settings import Settings


def limits_of(settings: Settings) -> Limits:
    """Limits for an engine over the home of ``settings``."""
    return Limits(
        segments_dir=settings.segments_dir,
        threads=settings.query_threads,
        memory_mb=settings.query_memory_mb,
        bucket_edges=settings.bucket_edges,
    )
