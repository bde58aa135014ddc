"""A log with one row a request, in CSV, JSON lines or Parquet."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from budget_model.errors import SourceError
from budget_model.records.columns import Plan, plan_of
from budget_model.records.raw import Piece, RawRecord, ReadOptions, Sourced
from budget_model.records.rejects import Warned, excerpt
from budget_model.records.rows import Row
from budget_model.sources.table_rows import rows

LOOK_AHEAD = 200
"""Rows looked at before a log of JSON lines is said to hold no latency at all."""


def read(piece: Piece, options: ReadOptions) -> Iterator[Sourced]:
    """The rows, each payload a ``Row``, and a note of every column whose meaning is not known.

    Raises SourceError when no column holds a duration: a list of arrivals has nothing to attribute.
    """
    log = _Log(Path(piece.path))
    held: list[Sourced] = []
    for found in rows(piece, options):
        if isinstance(found, RawRecord):
            held += log.unknown_columns(found)
            held.append(log.row(found))
        else:
            held.append(found)
        if log.has_latency or len(held) >= LOOK_AHEAD:
            log.require_latency()
            yield from held
            held = []
    if held:
        log.require_latency()
    yield from held


class _Log:
    """What has been seen of one file so far."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._digest = ""
        self._shapes: set[tuple[str, ...]] = set()
        self._columns: dict[str, None] = {}
        self._told: set[str] = set()
        self.has_latency = False

    def unknown_columns(self, found: RawRecord) -> Iterator[Warned]:
        """A note of each column not met before whose values go nowhere."""
        shape = tuple(found.payload)
        if shape in self._shapes:
            return
        self._shapes.add(shape)
        self._columns.update(dict.fromkeys(shape))
        self.has_latency = bool(plan_of(tuple(self._columns)).durations)
        new = [column for column in plan_of(shape).unused if column not in self._told]
        self._told.update(new)
        if new:
            shown = excerpt(", ".join(new))
            yield Warned("column-not-used", len(new), f"columns without a known meaning: {shown}")

    def row(self, found: RawRecord) -> RawRecord:
        """The row with a name for itself when it has no id: the file's digest and its place."""
        plan: Plan = plan_of(tuple(found.payload))
        named = (plan.values.get(meaning) for meaning in ("request_id", "trace_id"))
        if any(column is not None and found.payload[column] not in (None, "") for column in named):
            return RawRecord(found.where, Row(found.payload, ""), found.bytes_read)
        self._digest = self._digest or _digest_of(self._path)
        derived = f"{self._digest}-{found.where.replace(' ', '')}"
        return RawRecord(found.where, Row(found.payload, derived), found.bytes_read)

    def require_latency(self) -> None:
        """Raises SourceError when no column seen so far holds a duration."""
        if self.has_latency or not self._columns:
            return
        shown = excerpt(", ".join(list(self._columns)[:8]))
        raise SourceError(
            f"{self._path.name}: lists arrivals without any latency (columns {shown}), so there is no time "
            "to attribute; a request log needs a duration with its unit, such as e2e_ms or prefill_ms"
        )


def _digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
