"""Writing segments: staged under a temporary folder, synced, renamed, then made visible at once.

Until the one ledger transaction commits, nothing that was written is part of any manifest, so a
process killed at any step leaves files that nobody reads; the next writer collects them. Every
function that renames, publishes or deletes expects its caller to hold the writer lock.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from budget_model.errors import StoreError
from budget_model.settings import Settings
from budget_model.store.schema import SCHEMAS, Kind

STAGE_PREFIX = ".stage-"

GRACE_US = 10 * 60 * 1_000_000
"""How long a replaced file is kept for readers that still hold an older manifest."""


@dataclass(frozen=True, slots=True)
class Staged:
    """A finished Parquet file that no manifest names yet."""

    path: Path
    kind: Kind
    rows: int


@contextmanager
def stage(settings: Settings) -> Iterator[Path]:
    """A temporary folder beside the segments, removed with all in it at the end of the block."""
    folder = settings.segments_dir / f"{STAGE_PREFIX}{uuid.uuid4().hex}"
    with writing_to(settings.segments_dir):
        folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """Writes whose failure, a full disk above all, is a StoreError that names the folder."""
    try:
        yield
    except OSError as problem:
        why = os.strerror(problem.errno) if problem.errno else str(problem)
        raise StoreError(f"{folder} cannot be written to: {why}; nothing of this step was kept") from problem


@contextmanager
def open_segment(path: Path) -> Iterator[pq.ParquetFile]:
    """A stored file for reading. Raises StoreError naming it when it is missing or damaged."""
    try:
        with pq.ParquetFile(path) as file:
            yield file
    except (pa.ArrowException, OSError) as problem:
        raise StoreError(
            f"the segment {path.name} is missing or damaged; `tailbudget doctor` tells which are"
        ) from problem


class SegmentWriter:
    """Writes one staged file, one row group a call; a file without rows is not kept.

    Values are compressed with zstd level 1: on these columns higher levels cost far more time than
    they save space.
    """

    def __init__(self, folder: Path, kind: Kind, name: str) -> None:
        self.path = folder / f"{kind.value}-{name}.parquet"
        self.kind = kind
        self.rows = 0
        self._writer: pq.ParquetWriter | None = None

    def write(self, table: pa.Table) -> None:
        """Append the rows of ``table``, whose schema is that of the kind."""
        if not table.num_rows:
            return
        with writing_to(self.path.parent):
            if self._writer is None:
                self._writer = open_writer(self.path, SCHEMAS[self.kind])
            self._writer.write_table(table, row_group_size=table.num_rows)
        self.rows += table.num_rows

    def close(self) -> list[Staged]:
        """Finish and sync the file; an empty list when nothing was written."""
        if self._writer is None:
            return []
        writer, self._writer = self._writer, None
        with writing_to(self.path.parent):
            writer.close()
            sync(self.path)
        return [Staged(self.path, self.kind, self.rows)]


def open_writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    """A Parquet writer with the store's compression and encodings."""
    labels = [field.name for field in schema if pa.types.is_dictionary(field.type)]
    return pq.ParquetWriter(
        path, schema, compression="zstd", compression_level=1, use_dictionary=labels, write_page_checksum=True
    )


def sync(path: Path) -> None:
    """Wait until the file (or the folder's entries) is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def moved_in(settings: Settings, staged: Iterable[Staged]) -> list[Staged]:
    """Give staged files their lasting names among the segments and sync the folder.

    The names carry a random part, so that no later file ever takes the name of an earlier one.
    """
    moved = []
    for one in staged:
        target = settings.segments_dir / f"{one.kind.value}-{uuid.uuid4().hex}.parquet"
        with writing_to(settings.segments_dir):
            one.path.rename(target)
        moved.append(Staged(target, one.kind, one.rows))
    if moved:
        with writing_to(settings.segments_dir):
            sync(settings.segments_dir)
    return moved


def collect_orphans(settings: Settings, known: Iterable[str]) -> list[str]:
    """Delete files and staging folders that no manifest names; the answer is what went.

    The caller holds the writer lock, so whoever wrote them is dead.
    """
    keep = set(known)
    gone = []
    for path in orphans(settings, keep):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        gone.append(path.name)
    return gone


def set_apart(settings: Settings) -> list[str]:
    """Move all finished files to ``unclaimed`` in the home; the answer is their names.

    For a ledger that is new: it may stand in for one that was deleted or lies elsewhere, and then
    these files are all that was ever imported. The caller holds the writer lock.
    """
    names = [path.name for path in orphans(settings, ()) if path.suffix == ".parquet"]
    if names:
        apart = settings.home / "unclaimed"
        with writing_to(apart):
            apart.mkdir(exist_ok=True)
            for name in names:
                (settings.segments_dir / name).rename(apart / name)
    return names


def orphans(settings: Settings, known: Iterable[str]) -> list[Path]:
    """Files and staging folders below the segments that ``known`` does not name."""
    keep = set(known)
    if not settings.segments_dir.is_dir():
        return []
    return sorted(path for path in settings.segments_dir.iterdir() if path.name not in keep)
