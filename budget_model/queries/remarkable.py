"""Requests picked by what is remarkable about them: the hop that took most, or a flag."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.hops import HOPS, Hop
from budget_model.errors import FilterError
from budget_model.queries.selection import Selection
from budget_model.queries.table import MISSING
from budget_model.store.schema import PATH_COLUMNS


def mostly_in(selection: Selection, hop: str) -> NDArray[Any]:
    """Ok requests whose longest path time is ``hop``'s, the slowest first. Raises FilterError."""
    table, ok = selection.table, selection.ok
    own = table.numbers[PATH_COLUMNS[_place(hop)]][ok]
    largest = own > 0
    for place, column in enumerate(PATH_COLUMNS):
        others = table.numbers[column][ok]
        # Of equal times the hop a request meets first counts, so that each request is in one list.
        largest &= own > others if place < _place(hop) else own >= others
    return by_fall(selection, ok[largest], "e2e_us")


def longest_in(selection: Selection, hop: str) -> NDArray[Any]:
    """Ok requests that have ``hop``, the longest path time first. Raises FilterError."""
    column = PATH_COLUMNS[_place(hop)]
    positions = selection.ok[selection.table.numbers[column][selection.ok] != MISSING]
    return by_fall(selection, positions, column)


def flagged(selection: Selection, positions: NDArray[Any]) -> NDArray[Any]:
    """Those of ``positions`` that carry any flag, in their order."""
    marked: NDArray[Any] = positions[selection.table.numbers["flags"][positions] != 0]
    return marked


def by_fall(selection: Selection, positions: NDArray[Any], column: str) -> NDArray[Any]:
    """``positions`` with the largest value of ``column`` first; equal values by falling request id."""
    table = selection.table
    order = np.lexsort((table.id_ranks[positions], table.numbers[column][positions]))
    fallen: NDArray[Any] = positions[order[::-1]]
    return fallen


def _place(hop: str) -> int:
    if hop not in list(HOPS):
        raise FilterError(f"there is no hop {hop!r}; accepted are {', '.join(HOPS)}")
    return HOPS.index(Hop(hop))
