"""Request logs whose figures are known in closed form: Weibull grids with a chosen dependence.

Hop h of request i is m_h * (-ln(1 - u))^k_h with u = (((g^e_h mod n) * i) mod n + 0.5) / n, so each
hop's values are the same set whatever the exponents; only what meets what changes with them.
"""

from __future__ import annotations

import csv
import math
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

N, G = 10007, 1987
HOPS = ("client", "network", "gateway", "retrieval", "queue", "prefill", "decode", "postprocess")
SCALE_MS = (20, 60, 15, 120, 40, 300, 1500, 25)
SHAPE = (0.5, 1.2, 0.6, 1.0, 1.8, 0.8, 0.6, 0.7)
EXPONENTS = {
    "indep": (0, 1, 2, 3, 4, 5, 6, 7),
    "load": (0, 1, 2, 3, 4, 4, 4, 7),
    "comon": (0, 0, 0, 0, 0, 0, 0, 0),
}
FIRST = datetime(2026, 11, 16, tzinfo=UTC)


def lattice_ms(variant: str, n: int = N) -> list[list[float]]:
    """Hop times in ms, shape (n, 8) in the order of ``HOPS``."""
    factors = [pow(G, e, N) for e in EXPONENTS[variant]]
    return [
        [
            scale * (-math.log(1 - ((factor * i) % N + 0.5) / N)) ** shape
            for factor, scale, shape in zip(factors, SCALE_MS, SHAPE, strict=True)
        ]
        for i in range(n)
    ]


def write_lattice(path: Path, variant: str, container: str = "csv", n: int = N) -> Path:
    """Write the first ``n`` requests as csv, jsonl or parquet, a minute apart, without an e2e column."""
    rows = [
        {
            "request_id": f"{variant}-{i:05d}",
            "started_at": (FIRST + timedelta(minutes=i)).isoformat(),
            **{f"{hop}_ms": value for hop, value in zip(HOPS, values, strict=True)},
        }
        for i, values in enumerate(lattice_ms(variant, n))
    ]
    if container == "csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    elif container == "jsonl":
        path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)
    return path
