"""What an import did, file by file, in the shape that the command prints as JSON."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from budget_model.errors import TailbudgetError
from budget_model.records.rejects import Reject, Warned


@dataclass(frozen=True, slots=True)
class Counts:
    """``records == accepted + rejected + duplicates + already_known``.

    Records whose content conflicts with another version of the same span or request are among the
    duplicates and told by a warning. ``requests`` and ``spans`` count what was added or changed.
    """

    records: int = 0
    accepted: int = 0
    rejected: int = 0
    duplicates: int = 0
    already_known: int = 0
    requests: int = 0
    spans: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Counts)))


@dataclass(frozen=True, slots=True)
class FileReport:
    """One imported file; ``rejects`` holds the first refused records, ``counts.rejected`` is the total."""

    path: str
    format: str
    counts: Counts
    warnings: tuple[Warned, ...]
    rejects: tuple[Reject, ...]

    def as_json(self) -> dict[str, object]:
        """The JSON object of one file."""
        counts = {f.name: getattr(self.counts, f.name) for f in fields(Counts)}
        warnings = [{"code": w.code, "count": w.count, "example": w.example} for w in self.warnings]
        rejects = [{"where": r.where, "value": r.value, "reason": r.reason} for r in self.rejects]
        return {"path": self.path, "format": self.format, **counts, "warnings": warnings, "rejects": rejects}


@dataclass(frozen=True, slots=True)
class Failure:
    """A file of which nothing was imported, and why in one sentence."""

    path: str
    error: TailbudgetError


@dataclass(frozen=True, slots=True)
class ImportReport:
    """All files of one call. A file in ``failures`` left nothing behind and harmed no other."""

    files: tuple[FileReport, ...]
    failures: tuple[Failure, ...]

    @property
    def totals(self) -> Counts:
        """Sums over all imported files."""
        return sum((file.counts for file in self.files), Counts())

    def as_json(self) -> dict[str, object]:
        """The JSON object of the import command; ``failures`` is there only when a file failed."""
        totals = {f.name: getattr(self.totals, f.name) for f in fields(Counts)}
        answer: dict[str, object] = {"files": [file.as_json() for file in self.files], "totals": totals}
        if self.failures:
            answer["failures"] = [{"path": one.path, "error": str(one.error)} for one in self.failures]
        return answer


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an import is. ``seconds_left`` is None until it can be told."""

    phase: str  # "waiting", "reading", "settling", "writing"
    path: str
    bytes_done: int
    bytes_total: int
    records: int
    records_per_s: float
    seconds_left: float | None
    words: str = ""  # whom is waited for


def merge_warnings(parts: Sequence[Sequence[Warned]]) -> list[Warned]:
    """One warning a code, counts added, the first example kept."""
    merged: dict[str, Warned] = {}
    for warned in (one for part in parts for one in part):
        known = merged.setdefault(warned.code, Warned(warned.code, 0, warned.example))
        known.count += warned.count
    return list(merged.values())


def files_below(paths: Sequence[Path]) -> list[Path]:
    """The files named, and those below named folders, sorted; hidden ones below a folder are passed over.

    A folder that cannot be opened is there in place of its files, so that it is told of.
    """
    found: list[Path] = []
    for path in paths:
        found += _inside(path) if path.is_dir() else [path]
    return list(dict.fromkeys(found))


def _inside(folder: Path) -> list[Path]:
    closed: list[Path] = []
    walk = os.walk(folder, onerror=lambda error: closed.append(Path(error.filename)))
    found = [Path(below) / name for below, _, names in walk for name in names]
    files = [path for path in found if path.is_file() and not _hidden(path, folder)]
    return sorted([*files, *closed])


def _hidden(path: Path, below: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(below).parts)
