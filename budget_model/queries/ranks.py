"""Requests by their place among the ok requests sorted by (e2e, request id)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from budget_model.queries.selection import Sample
from budget_model.queries.table import RequestTable


def positions_at(table: RequestTable, sample: Sample, first: int, last: int) -> NDArray[Any]:
    """Table positions of the requests with 1-based ranks ``first``..``last``, lowest rank first.

    Only requests between the two end values are looked at and sorted; equal values go by id.
    """
    low, high = sample.ordered[first - 1], sample.ordered[last - 1]
    near = np.flatnonzero((sample.values >= low) & (sample.values <= high))
    positions = sample.positions[near]
    order = np.lexsort((table.id_ranks[positions], sample.values[near]))
    below = int(np.searchsorted(sample.ordered, low, side="left"))
    return positions[order[first - 1 - below : last - below]]


def rank_of(table: RequestTable, sample: Sample, position: int) -> int | None:
    """The 1-based rank of one request from below; None when it is not in the sample."""
    place = int(np.searchsorted(sample.positions, position))
    if place >= sample.n or sample.positions[place] != position:
        return None
    value = sample.values[place]
    below = int(np.searchsorted(sample.ordered, value, side="left"))
    through = int(np.searchsorted(sample.ordered, value, side="right"))
    if through - below == 1:
        return below + 1
    equals = sample.positions[sample.values == value]
    return below + 1 + int(np.count_nonzero(table.id_ranks[equals] < table.id_ranks[position]))
