"""What is remarkable about the requests a file brought, for the import's report."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow.parquet as pq

from budget_model.records.facts import Flag
from budget_model.records.rejects import Warned
from budget_model.store.schema import Kind
from budget_model.store.segments import Staged

TOLD: tuple[Flag, ...] = (
    Flag.NEGATIVE_DURATION,
    Flag.UNFINISHED_SPAN,
    Flag.ORPHAN_SPAN,
    Flag.SEVERAL_ROOTS,
    Flag.CLOCK_SKEW,
    Flag.CHILD_OUTLIVES_PARENT,
    Flag.DURATION_IN_ATTRIBUTE,
)
"""Flags that only the assembled request shows. What single records show is told where they are read, and
what is the service's and not the record's (errors, hops nobody instrumented) on the Data page.
"""


def flag_warnings(files: Sequence[Staged]) -> list[Warned]:
    """A warning for each told flag, counting requests, with the first request's id as the example."""
    found: dict[Flag, Warned] = {}
    for one in files:
        if one.kind is Kind.REQUESTS and one.rows:
            _add(found, one)
    return [found[flag] for flag in TOLD if flag in found]


def _add(found: dict[Flag, Warned], one: Staged) -> None:
    table = pq.read_table(one.path, columns=["request_id", "flags"])
    flags = table["flags"].to_numpy()
    for flag in TOLD:
        marked = np.flatnonzero(flags & int(flag))
        if marked.size:
            first = f"request {table['request_id'][int(marked[0])].as_py()}"
            warned = found.setdefault(flag, Warned(_code(flag), 0, first))
            warned.count += int(marked.size)


def _code(flag: Flag) -> str:
    return str(flag.name).lower().replace("_", "-")
