"""Bringing together the stored records of chosen traces, wherever they lie, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from budget_model.store.keys import Keys, column, contains
from budget_model.store.schema import SPANS
from budget_model.store.segments import open_segment, open_writer, writing_to

STORED = -1
"""Origin of rows that were in the store before."""

SHUFFLED: pa.Schema = SPANS.append(pa.field("origin", pa.int64())).append(pa.field("place", pa.int64()))
"""Span rows with the number of the file they came from and their row in it."""

_BATCH_ROWS = 1 << 15


def shuffle(
    sources: Sequence[tuple[int, Path]], wanted: Keys, buckets: int, folder: Path
) -> Iterator[tuple[Keys, Path]]:
    """Copy the rows of the ``wanted`` traces (ascending keys) into files of whole traces.

    ``sources`` are spans files with the origin number to note. Yields each file with the keys it is
    for; every key is in exactly one. Holds one batch of rows, reads each source once.
    """
    paths = [folder / f"bucket-{number}.parquet" for number in range(buckets)]
    writers = [open_writer(path, SHUFFLED) for path in paths]
    try:
        for origin, path in sources:
            for rows, bucket in _chosen(origin, path, wanted, buckets):
                for number in np.unique(bucket):
                    with writing_to(folder):
                        writers[number].write_table(rows.filter(pa.array(bucket == number)))
    finally:
        with writing_to(folder):
            for writer in writers:
                writer.close()
    numbers = np.arange(len(wanted)) * buckets // len(wanted)
    for number, path in enumerate(paths):
        yield wanted[numbers == number], path


def _chosen(origin: int, path: Path, wanted: Keys, buckets: int) -> Iterator[tuple[pa.Table, Keys]]:
    start = 0
    with open_segment(path) as file:
        for batch in file.iter_batches(_BATCH_ROWS):
            table = pa.Table.from_batches([batch])
            keys = column(table, "trace_key")
            inside = contains(keys, wanted)
            if inside.any():
                places = np.flatnonzero(inside)
                rows = table.take(pa.array(places))
                rows = rows.append_column("origin", pa.array(np.full(len(places), origin)))
                rows = rows.append_column("place", pa.array(places + start))
                yield rows.cast(SHUFFLED), np.searchsorted(wanted, keys[places]) * buckets // len(wanted)
            start += len(keys)


def rows_of(paths: Sequence[Path], wanted: Keys) -> int:
    """How many rows of the files belong to the ``wanted`` traces (ascending keys)."""
    count = 0
    for path in paths:
        with open_segment(path) as file:
            for batch in file.iter_batches(1 << 20, columns=["trace_key"]):
                count += int(contains(batch.column(0).to_numpy(), wanted).sum())
    return count
