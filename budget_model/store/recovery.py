"""A ledger that is damaged: a kept copy of it, and a new one made from the segments on disk.

The segments hold everything that was measured; what only the ledger knew is lost: which files were
imported and what was refused of them. Importing a file again recognises its records one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError

from budget_model.errors import StoreError
from budget_model.settings import Settings
from budget_model.store.database import sqlite_path
from budget_model.store.keys import NO_KEYS, Keys, column, contains, distinct, union
from budget_model.store.schema import SCHEMAS, Kind
from budget_model.store.segments import SegmentWriter, Staged


def integrity_problem(url: str) -> str | None:
    """What SQLite finds wrong with its file, None when nothing (or for another database)."""
    path = sqlite_path(url)
    if path is None or not path.exists():
        return None
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            found = connection.execute(text("PRAGMA integrity_check(1)")).scalar_one()
    except SQLAlchemyError as problem:
        return str(getattr(problem, "orig", None) or problem)
    finally:
        engine.dispose()
    return None if found == "ok" else str(found)


def set_aside(url: str) -> Path:
    """Move the SQLite ledger, with what belongs to it, to ``<name>.broken-<n>``; the new name.

    The caller holds the writer lock. Raises StoreError for another database or a failing disk.
    """
    path = sqlite_path(url)
    if path is None:
        raise StoreError("only an SQLite ledger can be made anew; restore this database from its own backup")
    number = 1
    while (copy := path.with_name(f"{path.name}.broken-{number}")).exists():
        number += 1
    try:
        path.rename(copy)
        for ending in ("-wal", "-shm"):
            beside = path.with_name(path.name + ending)
            if beside.exists():
                beside.rename(copy.with_name(copy.name + ending))
    except OSError as problem:
        raise StoreError(f"{path} cannot be moved to {copy.name}: {problem.strerror}") from problem
    return copy


def readable_segments(settings: Settings) -> tuple[list[Staged], list[str]]:
    """Segments on disk that are whole, and the names of those that are not."""
    whole: list[Staged] = []
    damaged: list[str] = []
    for path in sorted(settings.segments_dir.glob("*.parquet")):
        name = path.name.rpartition("-")[0]
        try:
            kind = Kind(name)
            with pq.ParquetFile(path) as file:
                fits = file.schema_arrow.equals(SCHEMAS[kind])
                rows = file.metadata.num_rows
        except (ValueError, OSError, pa.ArrowException):
            fits = False
        if fits:
            whole.append(Staged(path, kind, rows))
        else:
            damaged.append(path.name)
    return whole, damaged


def log_rows(segments: Sequence[Staged], folder: Path) -> list[Staged]:
    """Request-log rows and their gaps found in the segments, each request once.

    Of several rows of one request the one that ends last is kept, then the larger digest.
    """
    tables = [pq.read_table(one.path) for one in segments if one.kind is Kind.REQUESTS]
    requests = SegmentWriter(folder, Kind.REQUESTS, "recovered")
    keys = NO_KEYS
    if tables:
        rows = _once(pa.concat_tables(table.filter(_came_as_row(table)) for table in tables))
        requests.write(rows)
        keys = distinct(column(rows, "trace_key"))
    gaps = SegmentWriter(folder, Kind.TOKEN_GAPS, "recovered")
    for table in _gaps_once([one.path for one in segments if one.kind is Kind.TOKEN_GAPS], keys):
        gaps.write(table)
    return [*requests.close(), *gaps.close()]


def _came_as_row(table: pa.Table) -> pa.ChunkedArray:
    return pc.equal(table.column("source_kind").cast(pa.string()), "row")


def _once(rows: pa.Table) -> pa.Table:
    ends = pc.add(pc.fill_null(rows.column("start_us"), 0), pc.fill_null(rows.column("e2e_us"), 0))
    keys, digests = rows.column("trace_key"), rows.column("digest")
    order = pa.table({"key": keys, "end": ends, "digest": digests, "row": range(len(rows))})
    order = order.sort_by([("key", "ascending"), ("end", "descending"), ("digest", "descending")])
    firsts = order.group_by("key", use_threads=False).aggregate([("row", "first")])
    return rows.take(firsts.column("row_first").combine_chunks())


def _gaps_once(paths: Sequence[Path], wanted: Keys) -> Iterator[pa.Table]:
    """Gaps of the wanted requests; a request's gaps are taken from one file alone."""
    taken = NO_KEYS
    for path in paths:
        table = pq.read_table(path)
        keys = column(table, "trace_key")
        fresh = contains(keys, wanted) & ~contains(keys, taken)
        yield table.filter(pa.array(fresh))
        taken = union(taken, keys[fresh])
