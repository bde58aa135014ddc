"""A million made-up requests with every hop, straight into a requests segment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from budget_model.domain.hops import HOPS, MEASURED_HOPS
from budget_model.store.ledger import Changes, SegmentRef
from budget_model.store.schema import REQUESTS, Kind

SEED = 20261201
FIRST_US = 1_795_392_000_000_000
TWO_WEEKS_US = 14 * 86_400_000_000
MEDIAN_MS = (20.0, 60.0, 15.0, 120.0, 40.0, 300.0, 1500.0, 25.0, 1.0, 3.0)
SPREAD = (0.5, 1.0, 0.6, 0.8, 1.3, 0.8, 0.7, 0.7, 2.0, 0.6)

SHARES: dict[str, tuple[tuple[str, ...], tuple[float, ...]]] = {
    "workload": (("chat", "rag", "code", "batch"), (0.5, 0.3, 0.1, 0.1)),
    "tenant": (tuple(f"tenant-{i}" for i in range(8)), (0.3, 0.2, 0.15, 0.12, 0.1, 0.08, 0.04, 0.01)),
    "region": (("eu-west", "us-east", "ap-south"), (0.5, 0.35, 0.15)),
    "model": (("large", "small"), (0.4, 0.6)),
    "prompt_name": (("answer", "summary"), (0.7, 0.3)),
    "prompt_version": (("1", "2"), (0.6, 0.4)),
}


def write_requests(folder: Path, n: int) -> OneSegment:
    """Write ``n`` requests into ``folder``; the same every time."""
    rng = np.random.default_rng(SEED)
    hops_us = _hops(rng, n)
    columns = _plain_columns(rng, n) | {
        "e2e_us": hops_us.sum(axis=1),
        "ttft_us": hops_us[:, :6].sum(axis=1),
        "generation_us": hops_us[:, 6],
        "tpot_us": hops_us[:, 6] // 200,
    }
    columns |= {f"path_{hop}_us": hops_us[:, i] for i, hop in enumerate(HOPS)}
    columns |= {f"wall_{hop}_us": hops_us[:, i] for i, hop in enumerate(MEASURED_HOPS)}
    arrays = [_array(columns.get(field.name), field.type, n) for field in REQUESTS]
    path = folder / "requests.parquet"
    pq.write_table(pa.Table.from_arrays(arrays, schema=REQUESTS), path)
    return OneSegment(SegmentRef(path, Kind.REQUESTS, n, 1, 1))


class OneSegment:
    """A ledger of a single segment."""

    def __init__(self, ref: SegmentRef) -> None:
        self._ref = ref

    def generation(self) -> int:
        """The only generation."""
        return 1

    def changes(self, since_generation: int | None) -> Changes:
        """Everything to a new reader, nothing to one that has it."""
        return Changes(1, since_generation is None, (self._ref,) if since_generation is None else ())

    def segments(self, since_generation: int | None, kind: Kind | str) -> list[SegmentRef]:
        """The segment, to whoever asks for its kind."""
        return [self._ref] if kind == self._ref.kind and not since_generation else []


def _hops(rng: np.random.Generator, n: int) -> NDArray[np.int64]:
    """Hop times in microseconds, shape (n, 10); queue, prefill and decode rise with the load."""
    z = rng.standard_normal((n, len(HOPS)))
    load = rng.standard_normal(n)
    for i in (4, 5, 6):
        z[:, i] = 0.6 * z[:, i] + 0.8 * load
    median_us = np.asarray(MEDIAN_MS) * 1000
    return np.asarray(np.exp(z * np.asarray(SPREAD)) * median_us, np.int64)


def _plain_columns(rng: np.random.Generator, n: int) -> dict[str, Any]:
    ids = [f"{i:032x}" for i in rng.permutation(n)]
    labels = {name: rng.choice(np.asarray(values), n, p=p) for name, (values, p) in SHARES.items()}
    return labels | {
        "request_id": ids,
        "trace_id": ids,
        "trace_key": np.arange(n),
        "root_span_id": ["0" * 16] * n,
        "root_name": ["request"] * n,
        "source_kind": ["spans"] * n,
        "outcome": np.where(rng.random(n) < 0.01, "failed", "ok"),
        "start_us": np.sort(rng.integers(0, TWO_WEEKS_US, n)) + FIRST_US,
        "prompt_tokens": rng.lognormal(7, 1.2, n).astype(np.int64),
        "output_tokens": rng.lognormal(5, 0.8, n).astype(np.int64),
        **dict.fromkeys(("span_count", "attempts"), np.ones(n, np.int64)),
        **dict.fromkeys(("error_span_count", "flags", "digest"), np.zeros(n, np.int64)),
    }


def _array(values: Any, kind: pa.DataType, n: int) -> pa.Array:
    if values is None:
        return pa.nulls(n, kind)
    if pa.types.is_dictionary(kind):
        return pa.array(values, pa.string()).dictionary_encode().cast(kind)
    return pa.array(values).cast(kind)
