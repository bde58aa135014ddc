"""Request-log rows that occur twice: in one file, or in the file and in the store.

Rows of one request with the same content are one row. When contents differ, the row that ends later
counts (the larger content digest among equal ends), whichever file it came in; a row without a time
loses against one with a time. All of it works on columns: a log may have millions of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from budget_model.services.settling import Tally
from budget_model.store.compaction import live_rows
from budget_model.store.keys import NO_KEYS, Keys, column, contains
from budget_model.store.ledger import SegmentRef
from budget_model.store.segments import Staged

_COLUMNS = ["trace_key", "digest", "start_us", "e2e_us", "request_id"]
_NEVER = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class RowsSettled:
    """Rows not to be kept, by staged file; keys whose stored row is replaced; how rows were judged."""

    unwanted: list[Keys]
    replaced: Keys
    tally: Tally


@dataclass(frozen=True, slots=True)
class _Rows:
    keys: Keys
    digests: Keys
    ends: Keys
    origins: Keys  # number of the staged file, -1 for the store
    places: Keys

    def at(self, which: NDArray[np.int64]) -> _Rows:
        return _Rows(*(getattr(self, name)[which] for name in self.__slots__))


def settle_rows(
    staged: Sequence[Staged], stored: Sequence[SegmentRef], superseded: Sequence[SegmentRef], touched: Keys
) -> RowsSettled:
    """Judge the rows of the ``touched`` keys (ascending), which are those that occur more than once."""
    if not len(touched):
        return RowsSettled([NO_KEYS for _ in staged], NO_KEYS, Tally())
    parts = [_staged_rows(number, one.path, touched) for number, one in enumerate(staged)]
    rows = _together([*parts, _stored_rows(stored, superseded, touched)])
    # Ascending by key; within a key the winner last, and the stored row before new rows like it.
    order = np.lexsort((rows.origins == -1, rows.digests, rows.ends, rows.keys))
    rows = rows.at(order)
    last = np.append(rows.keys[1:] != rows.keys[:-1], True)
    new = rows.origins >= 0
    lost = rows.at(np.flatnonzero(new & ~last))
    unwanted = [lost.places[lost.origins == number] for number in range(len(staged))]
    replaced = np.intersect1d(rows.keys[last & new], rows.keys[~new])
    return RowsSettled(unwanted, replaced, _tally(rows))


def _tally(rows: _Rows) -> Tally:
    """Stored row's content: known. Else the first of a key is accepted and the others are duplicates."""
    new = rows.origins >= 0
    stored_keys, where = np.unique(rows.keys[~new], return_index=True)
    stored_digests = rows.digests[~new][where]
    keys, digests = rows.keys[new], rows.digests[new]
    has_stored = contains(keys, stored_keys)
    known = np.zeros(len(keys), np.bool_)
    if len(stored_keys):
        known = has_stored & (
            stored_digests[np.searchsorted(stored_keys, keys) % len(stored_keys)] == digests
        )
    contents = np.unique(np.stack([keys[~known], digests[~known]], axis=1), axis=0)[:, 0]
    accepted = len(np.unique(keys[~has_stored]))
    conflicts = len(contents) - accepted
    return Tally(int((~known).sum()) - accepted, conflicts, int(known.sum()), "")


def _staged_rows(number: int, path: Path, touched: Keys) -> _Rows:
    table = pq.read_table(path, columns=_COLUMNS)
    places = np.flatnonzero(contains(column(table, "trace_key"), touched))
    return _rows(table.take(places), np.full(len(places), number), places)


def _stored_rows(stored: Sequence[SegmentRef], superseded: Sequence[SegmentRef], touched: Keys) -> _Rows:
    found = []
    for table in live_rows(stored, superseded, _COLUMNS):
        places = np.flatnonzero(contains(column(table, "trace_key"), touched))
        if len(places):
            found.append(_rows(table.take(places), np.full(len(places), -1), places))
    return _together(found)


def _rows(table: pa.Table, origins: Keys, places: Keys) -> _Rows:
    ends = pc.add(table.column("start_us"), pc.fill_null(table.column("e2e_us"), 0))
    return _Rows(
        column(table, "trace_key"),
        column(table, "digest"),
        pc.fill_null(ends, int(_NEVER)).to_numpy(),
        origins,
        places,
    )


def _together(parts: Sequence[_Rows]) -> _Rows:
    names = _Rows.__slots__
    return _Rows(*(np.concatenate([NO_KEYS, *(getattr(one, name) for one in parts)]) for name in names))
