"""How many requests there are under a filter, what values dimensions take, and what time is covered."""

from __future__ import annotations

import numpy as np

from budget_model.queries.filters import DIMENSIONS
from budget_model.queries.results import Counts
from budget_model.queries.selection import Selection
from budget_model.queries.table import OUTCOMES, RequestTable
from budget_model.records.facts import Flag


def counts(selection: Selection) -> Counts:
    """Requests by outcome, without a time, and by flag (flags that occur, by lower-case name)."""
    by_outcome = dict(zip(OUTCOMES, selection.outcome_counts.tolist(), strict=True))
    total = len(selection.positions)
    timed = int(np.searchsorted(selection.positions, selection.table.timed))
    return Counts(total=total, **by_outcome, without_time=total - timed, flagged=_flagged(selection))


def _flagged(selection: Selection) -> dict[str, int]:
    combinations = np.bincount(selection.table.numbers["flags"][selection.positions])
    held = np.arange(len(combinations))
    found = {str(flag.name).lower(): int(combinations[(held & flag) != 0].sum()) for flag in Flag}
    return {name: count for name, count in found.items() if count}


def dimension_values(table: RequestTable) -> dict[str, list[tuple[str | None, int]]]:
    """Every dimension's values with how many requests carry each, in label order, None last."""
    return {name: _values(table, name) for name in DIMENSIONS}


def _values(table: RequestTable, name: str) -> list[tuple[str | None, int]]:
    dimension = table.dimensions[name]
    found = np.bincount(dimension.codes, minlength=len(dimension.labels))
    return [(label, n) for label, n in zip(dimension.labels, found.tolist(), strict=True) if n]


def time_range(selection: Selection) -> tuple[int, int] | None:
    """First and last start time in UTC microseconds; None when no request carries one."""
    timed = int(np.searchsorted(selection.positions, selection.table.timed))
    if not timed:
        return None
    starts = selection.table.numbers["start_us"]
    return int(starts[selection.positions[0]]), int(starts[selection.positions[timed - 1]])
