"""Is this home sound, and what to do when it is not."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from budget_model import __version__
from budget_model.errors import StoreError, TailbudgetError
from budget_model.services.clock import now_us
from budget_model.services.mapping import facts_are_stale
from budget_model.services.rebuild import rebuild
from budget_model.settings import Settings
from budget_model.store.ledger import Ledger, Manifest
from budget_model.store.lock import writer_lock
from budget_model.store.publish import Publication, known_files, publish
from budget_model.store.recovery import integrity_problem, log_rows, readable_segments, set_aside
from budget_model.store.schema import Kind
from budget_model.store.segments import Staged, orphans, stage

LOW_DISK_BYTES = 1_000_000_000
_LIBRARIES = ("duckdb", "pyarrow", "numpy", "sqlalchemy", "streamlit")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: ``level`` is ok, notice or problem; ``words`` say what to do about it."""

    about: str
    level: str
    words: str


@dataclass(frozen=True, slots=True)
class Checkup:
    """All findings; ``is_sound`` when none of them is a problem."""

    findings: tuple[Finding, ...]

    @property
    def is_sound(self) -> bool:
        """Whether everything that must work does."""
        return all(finding.level != "problem" for finding in self.findings)


def check_home(settings: Settings) -> Checkup:
    """Look at the home, its ledger and its segments; changes nothing but a missing home."""
    findings = [_versions(), _disk(settings), *_ledger(settings)]
    return Checkup(tuple(findings))


def repair_home(settings: Settings) -> str:
    """Make a damaged ledger anew from the segments; the answer says in one sentence what was done.

    The damaged one is kept beside it. A sound ledger is left as it is. Raises StoreError when the
    ledger is not SQLite, StoreBusyError when another process writes to the home.
    """
    with writer_lock(settings.home, wait=False):
        problem = _problem_of(settings)
        if problem is None:
            return "The ledger is sound; nothing was changed."
        copy = set_aside(settings.database_url)
        segments, damaged = readable_segments(settings)
        _register(settings, segments)
    report = rebuild(settings)
    lost = f" {len(damaged)} damaged segments were left out." if damaged else ""
    return (
        f"The ledger was damaged ({problem}) and is kept as {copy.name}. A new one was made from the "
        f"segments: {report.requests:,} requests, {report.spans:,} spans.{lost} The list of "
        "imports could not be saved."
    )


def _problem_of(settings: Settings) -> str | None:
    found = integrity_problem(settings.database_url)
    if found is not None:
        return found
    try:
        ledger = Ledger(settings)
        generation = ledger.manifest().generation
        ledger.close()
    except StoreError as problem:
        return str(problem)
    unknown = [path for path in orphans(settings, ()) if path.suffix == ".parquet"]
    if generation == 0 and unknown:
        return f"it is new and knows none of the {len(unknown)} segments; was it deleted, or is it elsewhere?"
    return None


def _register(settings: Settings, segments: list[Staged]) -> None:
    """Spans segments as they are, request-log rows once each; facts of spans follow by a rebuild."""
    ledger = Ledger(settings)
    try:
        with stage(settings) as folder:
            spans = [one for one in segments if one.kind is Kind.SPANS]
            publish(ledger, Publication(added=[*spans, *log_rows(segments, folder)]), now_us())
    finally:
        ledger.close()


def _versions() -> Finding:
    libraries = ", ".join(f"{name} {version(name)}" for name in _LIBRARIES)
    python = ".".join(map(str, sys.version_info[:3]))
    return Finding("versions", "ok", f"tailbudget {__version__}, Python {python}, {libraries}")


def _disk(settings: Settings) -> Finding:
    if not settings.home.exists():
        return Finding("home", "notice", f"{settings.home} does not exist yet; the first import makes it")
    free = shutil.disk_usage(settings.home).free
    words = f"{settings.home}, {free / 1e9:.1f} GB free"
    if not os.access(settings.home, os.W_OK):
        return Finding("home", "problem", f"{words}; it cannot be written to")
    if free < LOW_DISK_BYTES:
        return Finding("home", "notice", f"{words}; an import may run out of space")
    return Finding("home", "ok", words)


def _ledger(settings: Settings) -> list[Finding]:
    if not settings.home.exists():
        return []
    if settings.is_ledger_at_home and not os.access(settings.home, os.W_OK):
        return [Finding("ledger", "notice", "not looked at: it can be opened only where it can be written")]
    problem = _problem_of(settings)
    if problem is not None:
        advice = "run `tailbudget doctor --repair`, which keeps a copy"
        return [Finding("ledger", "problem", f"damaged ({problem}); {advice}")]
    ledger = Ledger(settings)
    try:
        manifest = ledger.manifest()
        words = f"generation {manifest.generation}, {len(manifest.segments)} segments"
        return [
            Finding("ledger", "ok", words),
            _segments(manifest),
            _orphans(settings, known_files(ledger)),
            _rules(settings),
        ]
    finally:
        ledger.close()


def _segments(manifest: Manifest) -> Finding:
    broken = [ref.path.name for ref in manifest.segments if not _is_whole(ref.path, ref.rows)]
    if broken:
        words = f"{len(broken)} missing or damaged, such as {broken[0]}; restore them from a backup"
        return Finding("segments", "problem", words)
    size = sum(ref.path.stat().st_size for ref in manifest.segments)
    return Finding("segments", "ok", f"all there and readable, {size / 1e6:,.1f} MB")


def _is_whole(path: Path, rows: int) -> bool:
    """Reads every column: a flipped bit shows only when its page is decompressed."""
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            return rows == sum(int(batch.num_rows) for batch in file.iter_batches())
    except (OSError, pa.ArrowException):
        return False


def _orphans(settings: Settings, known: list[str]) -> Finding:
    left = orphans(settings, known)
    if left:
        words = f"{len(left)} files of stopped imports; the next import deletes them"
        return Finding("leftovers", "notice", words)
    return Finding("leftovers", "ok", "none")


def _rules(settings: Settings) -> Finding:
    try:
        stale = facts_are_stale(settings)
    except TailbudgetError as problem:
        return Finding("rules", "problem", str(problem))
    if stale:
        words = "the hop rules changed since the facts were made: run `tailbudget rebuild`"
        return Finding("rules", "notice", words)
    return Finding("rules", "ok", "the facts were made with the rules as they are")
