"""The process's one DuckDB: in memory, locked down, holding the generations that are being read.

A new generation is built beside the old one and swapped in when it is whole. Queries that started
on the old one keep it; it is dropped when the last of them lets go.
"""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass
from pathlib import Path

import duckdb

from budget_model.queries.catalog import Catalog
from budget_model.queries.loading import Loader, drop
from budget_model.queries.table import RequestTable
from budget_model.store.schema import Kind


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of the machine the engine may use, and where it may read."""

    segments_dir: Path
    threads: int
    memory_mb: int
    bucket_edges: tuple[int, ...]


class Engine:
    """Hands out the current generation's table; thread-safe, one per process."""

    def __init__(self, catalog: Catalog, limits: Limits) -> None:
        self._catalog = catalog
        self._connection = _locked_down(limits)
        self._loader = Loader(self._connection, limits.bucket_edges)
        self._loading = threading.Lock()
        self._current: RequestTable | None = None

    def table(self) -> RequestTable:
        """The loaded generation; the first call loads the newest."""
        current = self._current
        return current if current is not None else self.refresh()

    def newest_generation(self) -> int:
        """The store's newest generation, which may be ahead of the loaded one."""
        return self._catalog.generation()

    def refresh(self) -> RequestTable:
        """Load the newest generation if it is not loaded yet; others keep reading meanwhile."""
        with self._loading:
            current = self._current
            changes = self._catalog.changes(None if current is None else current.generation)
            if current is None or current.generation != changes.generation:
                current = self._loader.load(changes, current)
                weakref.finalize(current, drop, self._connection, current.name)
                self._current = current
            return current

    def span_paths(self) -> list[str]:
        """Files in which the spans of single traces are looked up."""
        return [str(ref.path) for ref in self._catalog.segments(None, Kind.SPANS)]


def _locked_down(limits: Limits) -> duckdb.DuckDBPyConnection:
    """A connection that reads the segments folder and nothing else, and cannot be reconfigured."""
    connection = duckdb.connect(":memory:")
    folder = str(limits.segments_dir).rstrip("/").replace("'", "''")
    for setting in (
        f"allowed_directories = ['{folder}/']",
        "enable_external_access = false",
        "python_enable_replacements = false",
        "preserve_insertion_order = true",  # row i of an array is row i of the table
        f"memory_limit = '{int(limits.memory_mb)}MB'",
        f"threads = {int(limits.threads)}",
        "lock_configuration = true",
    ):
        connection.execute(f"SET {setting}")
    return connection
