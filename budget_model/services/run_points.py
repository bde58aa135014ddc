"""Load-test runs as commands and pages show them, with what is missing of them counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from budget_model.store.ledger import Ledger
from budget_model.store.run_catalog import DELETED, IN_PROGRESS, KNOWN, REJECTED, RunCatalog, StoredRun

LABELS = ("model", "hardware")
SETTINGS = ("token_budget", "chunk_size", "batch_size", "concurrency")
MEASURED = (
    *("ttft_p50_ms", "ttft_p99_ms", "tbt_p99_ms", "e2e_p50_ms", "e2e_p99_ms"),
    *("requests_per_s", "output_tokens_per_s", "gpu_utilisation"),
)
FIELDS = (*LABELS, *SETTINGS, *MEASURED)
"""Fields that every run is asked for, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class Point:
    """One run. Texts come from the data: treat them as untrusted.

    ``parent`` is the name of the run this one is a stage of, or its id where the name is not known,
    "" when it stands alone. ``page`` is where MLflow's own page shows it, None when unknown.
    """

    run: StoredRun
    parent: str
    page: str | None

    @property
    def kind(self) -> str:
        """``stage`` of a parent, or ``point`` of a sweep."""
        return "stage" if self.run.parent_id else "point"

    def value(self, field: str) -> str | float | None:
        """A label, setting or figure by name; None when it was not logged."""
        run = self.run
        return run.labels.get(field, run.settings.get(field, run.measured.get(field)))

    def as_json(self) -> dict[str, Any]:
        """One point as JSON; what was not logged is absent."""
        told = ("run_id", "experiment_id", "name", "state", "status", "start_ms", "end_ms", "source")
        return {
            **{name: getattr(self.run, name) for name in told},
            "kind": self.kind,
            "parent_run_id": self.run.parent_id or None,
            "parent": self.parent or None,
            "page": self.page,
            "labels": self.run.labels,
            "settings": self.run.settings,
            "measured": self.run.measured,
            "metrics_not_finite": self.run.not_finite,
        }


@dataclass(frozen=True, slots=True)
class RunList:
    """All runs. ``points`` are those that have not been deleted or rejected, the latest first.

    ``missing`` has, for each of ``FIELDS``, how many of the points did not log it.
    """

    points: tuple[Point, ...]
    rejected: tuple[Point, ...]
    deleted: int
    in_progress: int
    missing: dict[str, int]

    @property
    def not_finite(self) -> int:
        """Metrics of the points that are NaN or infinite and shown as missing."""
        return sum(one.run.not_finite for one in self.points)

    def as_json(self) -> dict[str, Any]:
        """The JSON object of the command."""
        return {
            "runs": len(self.points),
            "in_progress": self.in_progress,
            "deleted": self.deleted,
            "rejected": len(self.rejected),
            "metrics_not_finite": self.not_finite,
            "missing": self.missing,
            "points": [one.as_json() for one in self.points],
            "rejects": [
                {"run_id": one.run.run_id, "name": one.run.name, "reason": one.run.reason, "page": one.page}
                for one in self.rejected
            ],
        }


def run_points(ledger: Ledger) -> RunList:
    """Every run that was brought in."""
    rows = RunCatalog(ledger).all()
    names = {row.run_id: row.name for row in rows}
    shown = [_point(row, names) for row in rows]
    points = [one for one in shown if one.run.state in (KNOWN, IN_PROGRESS)]
    return RunList(
        points=tuple(points),
        rejected=tuple(one for one in shown if one.run.state == REJECTED),
        deleted=sum(row.state == DELETED for row in rows),
        in_progress=sum(row.state == IN_PROGRESS for row in rows),
        missing=_missing(points),
    )


def run_page(pages: str, experiment_id: str, run_id: str) -> str | None:
    """The address of a run on MLflow's own pages; None when these are not known.

    Only http and https addresses are given.
    """
    if not (experiment_id and run_id and urlsplit(pages).scheme in ("http", "https")):
        return None
    return f"{pages}/#/experiments/{quote(experiment_id, safe='')}/runs/{quote(run_id, safe='')}"


def _point(row: StoredRun, names: dict[str, str]) -> Point:
    parent = names.get(row.parent_id) or row.parent_id
    return Point(row, parent, run_page(row.pages, row.experiment_id, row.run_id))


def _missing(points: Sequence[Point]) -> dict[str, int]:
    return {field: sum(one.value(field) is None for one in points) for field in FIELDS}
