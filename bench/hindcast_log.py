"""The bundled request log as hop vectors: what comes before the first token, and what comes after."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from budget_model.domain.budget_question import HOP_INDEX, Values
from budget_model.domain.hops import HOPS, Hop

US_PER_S = 1_000_000


def read_log(path: Path) -> Values:
    """Vectors of the requests that answered, shape (n, 10), microseconds, in file order.

    The log tells two moments only. Time to first token is held as overhead (it is queue and prefill
    together, and under this load mostly queue), the rest is decode. So a scale is one on decode.
    """
    with path.open(encoding="utf-8", newline="") as file:
        answered = (row for row in csv.DictReader(file) if row["status"] == "ok" and row["ttft_s"])
        rows = [(float(row["ttft_s"]), float(row["e2e_s"])) for row in answered]
    times = np.array(rows) * US_PER_S
    hops: Values = np.zeros((len(rows), len(HOPS)))
    hops[:, HOP_INDEX[Hop.QUEUE]] = times[:, 0]
    hops[:, HOP_INDEX[Hop.DECODE]] = times[:, 1] - times[:, 0]
    return hops
