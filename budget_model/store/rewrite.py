"""Staged files once more, without the rows that turned out not to be wanted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from budget_model.store.compaction import without
from budget_model.store.keys import Keys
from budget_model.store.segments import SegmentWriter, Staged


def without_keys(staged: Staged, gone: Keys) -> list[Staged]:
    """The file less the rows of the traces ``gone`` (ascending); no file when none is left."""
    if not len(gone):
        return [staged]
    with pq.ParquetFile(staged.path) as file:
        writer = _successor(staged.path, staged)
        for group in range(file.num_row_groups):
            writer.write(without(file.read_row_group(group), gone))
    return writer.close()


def without_places(staged: Staged, gone: Keys) -> list[Staged]:
    """The file less the rows numbered in ``gone``, counted from 0 over the whole file."""
    if not len(gone):
        return [staged]
    keep = np.ones(staged.rows, np.bool_)
    keep[gone] = False
    start = 0
    with pq.ParquetFile(staged.path) as file:
        writer = _successor(staged.path, staged)
        for group in range(file.num_row_groups):
            table = file.read_row_group(group)
            writer.write(table.filter(pa.array(keep[start : start + table.num_rows])))
            start += table.num_rows
    return writer.close()


def _successor(path: Path, staged: Staged) -> SegmentWriter:
    return SegmentWriter(path.parent, staged.kind, f"{path.stem}-kept")
