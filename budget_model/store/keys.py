"""Sets of trace keys as sorted numpy arrays: which traces lie in several places at once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from budget_model.store.segments import open_segment

Keys = NDArray[np.int64]
"""Trace keys, shape (n,)."""

NO_KEYS: Keys = np.empty(0, np.int64)


def distinct(keys: Keys) -> Keys:
    """The keys once each, ascending."""
    found: Keys = np.unique(keys)
    return found


def in_several(sets: Iterable[Keys]) -> Keys:
    """Keys that are in more than one of the sets (each without repeats), ascending."""
    parts = list(sets)
    if len(parts) < 2:
        return NO_KEYS
    together = np.sort(np.concatenate(parts))
    return distinct(together[1:][together[1:] == together[:-1]])


def contains(keys: Keys, sorted_set: Keys) -> NDArray[np.bool_]:
    """For each of ``keys`` whether it is in ``sorted_set`` (ascending, no repeats); shape (n,)."""
    if not len(sorted_set):
        return np.zeros(len(keys), np.bool_)
    places = np.searchsorted(sorted_set, keys)
    places[places == len(sorted_set)] = 0
    found: NDArray[np.bool_] = sorted_set[places] == keys
    return found


def union(*sets: Keys) -> Keys:
    """All keys of the sets, ascending, once each."""
    return distinct(np.concatenate([NO_KEYS, *sets]))


def column(table: pa.Table, name: str) -> NDArray[np.int64]:
    """An int64 column without nulls as numpy, shape (rows,)."""
    values: NDArray[np.int64] = table.column(name).to_numpy()
    return values


def stored_among(paths: Iterable[Path], wanted: Keys) -> Keys:
    """Those of ``wanted`` (ascending, no repeats) that occur in the files' ``trace_key`` columns."""
    found = np.zeros(len(wanted), np.bool_)
    for path in paths if len(wanted) else ():
        with open_segment(path) as file:
            for batch in file.iter_batches(1 << 20, columns=["trace_key"]):
                keys = distinct(batch.column(0).to_numpy())
                found |= contains(wanted, keys)
    return wanted[found]
