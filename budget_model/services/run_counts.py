"""How many runs were read and what became of them."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class RunCounts:
    """``accepted + rejected + duplicates == read``. ``duplicates`` were here already, just like that.

    ``updated`` (of those accepted) replace an earlier reading and ``in_progress`` (of those read) had
    not ended. ``deleted`` were noticed to be gone. ``not_finite`` counts metrics of accepted runs
    that are NaN or infinite and are shown as missing.
    """

    read: int = 0
    accepted: int = 0
    rejected: int = 0
    duplicates: int = 0
    updated: int = 0
    in_progress: int = 0
    deleted: int = 0
    not_finite: int = 0

    def __add__(self, other: RunCounts) -> RunCounts:
        return RunCounts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(RunCounts)))

    def as_extras(self) -> dict[str, int]:
        """The counts as they stand beside those of traces."""
        extras = {f"runs_{f.name}": getattr(self, f.name) for f in fields(RunCounts)}
        extras["run_metrics_not_finite"] = extras.pop("runs_not_finite")
        return extras
