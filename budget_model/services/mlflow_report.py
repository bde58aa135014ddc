"""What a sync with MLflow is asked to do and what it did, in the shape the command prints as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from budget_model.services.import_report import Counts

HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """What to bring in.

    ``uri`` and ``direct`` (the database behind the server, "" to do without) may hold credentials
    and are never stored as they are. ``experiments`` are ids or names (empty: all). ``since_ms``
    reaches further back than the last sync did; ``overlap_ms`` is how far every sync does.
    ``check_deleted`` looks for deleted traces in all that was ever brought in. ``interval_ms`` is
    written down for those who look at the source, when the sync is repeated. ``runs`` brings
    load-test runs too, all of the experiments' each time; ``prompts`` the texts of prompt versions,
    all of the registry's each time.
    """

    uri: str
    experiments: tuple[str, ...] = ()
    direct: str = ""
    since_ms: int | None = None
    overlap_ms: int = HOUR_MS
    check_deleted: bool = False
    interval_ms: int | None = None
    runs: bool = True
    prompts: bool = True


@dataclass(frozen=True, slots=True)
class TraceCounts:
    """Traces by what became of them in one sync; ``waiting`` had not ended."""

    new: int = 0
    updated: int = 0
    waiting: int = 0
    deleted: int = 0
    unchanged: int = 0

    def __add__(self, other: TraceCounts) -> TraceCounts:
        return TraceCounts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(TraceCounts)))


@dataclass(frozen=True, slots=True)
class BatchReport:
    """One batch that was committed. ``spans`` counts the records of its traces."""

    number: int
    traces: TraceCounts
    spans: Counts
    until_ms: int | None  # start of the last trace looked at


@dataclass(frozen=True, slots=True)
class SyncReport:
    """One sync. With ``error`` or ``stopped`` it ended early and its whole batches were kept.

    ``newest_ms`` is the start of the newest trace of the source. ``lag_ms`` is how long ago the
    last complete sync began: what the source held then is here (None: there was none).
    ``extras`` counts what came beside traces: runs and prompt versions. ``note`` says what was taken in
    another way than asked for, or left out.
    """

    source_id: int
    address: str
    kind: str = ""
    note: str = ""
    traces: TraceCounts = field(default_factory=TraceCounts)
    spans: Counts = field(default_factory=Counts)
    batches: int = 0
    extras: dict[str, int] = field(default_factory=dict)
    took_ms: int = 0
    newest_ms: int | None = None
    lag_ms: int | None = None
    error: str = ""
    stopped: bool = False

    def with_batch(self, batch: BatchReport) -> SyncReport:
        """This and one batch more."""
        return replace(
            self,
            traces=self.traces + batch.traces,
            spans=self.spans + batch.spans,
            batches=self.batches + 1,
        )

    def counts(self) -> dict[str, Any]:
        """The numbers alone, as the ledger keeps them."""
        traces = {f.name: getattr(self.traces, f.name) for f in fields(TraceCounts)}
        spans = {f.name: getattr(self.spans, f.name) for f in fields(Counts)}
        return {"traces": traces, "spans": spans, **self.extras}

    def as_json(self) -> dict[str, Any]:
        """The JSON object of the command."""
        told = ("address", "kind", "note", "batches", "took_ms", "newest_ms", "lag_ms", "error", "stopped")
        return {**{name: getattr(self, name) for name in told}, **self.counts()}
