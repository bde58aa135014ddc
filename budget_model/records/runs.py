"""A run of a load test as every tracker's own words for it are brought to."""

from __future__ import annotations

import msgspec

IN_PROGRESS = frozenset({"RUNNING", "SCHEDULED"})
"""Statuses of a run that may still log more."""


class RunPoint(msgspec.Struct, frozen=True):
    """One stage of a load test, or one point of a sweep.

    ``labels`` are what it ran on (model, hardware ...), ``settings`` what was set (concurrency, token
    budget ...) and ``measured`` what came out; the unit is part of a field's name, and so is the
    percentile: ``ttft_p99_ms``. A field that was not logged is absent, never 0. ``parent_id`` is the
    run this one is a stage of, "" when it stands alone. ``not_finite`` counts metrics that are NaN or
    infinite, which are absent too. Times are UTC milliseconds since the epoch.
    """

    run_id: str
    experiment_id: str
    name: str
    status: str
    lifecycle: str
    parent_id: str = ""
    start_ms: int | None = None
    end_ms: int | None = None
    labels: dict[str, str] = {}
    settings: dict[str, float] = {}
    measured: dict[str, float] = {}
    not_finite: int = 0

    @property
    def is_in_progress(self) -> bool:
        """Whether the run had not ended when it was read."""
        return self.status in IN_PROGRESS

    @property
    def kind(self) -> str:
        """``stage`` of a parent, or ``point`` of a sweep."""
        return "stage" if self.parent_id else "point"
