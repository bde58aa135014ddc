"""A filter turned into rows: which requests a figure is about, and which of them succeeded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budget_model.queries.columns import check_dimension
from budget_model.queries.filters import DIMENSIONS, Filter
from budget_model.queries.pool import spread
from budget_model.queries.table import MISSING, OUTCOMES, RequestTable
from budget_model.records.facts import Outcome

OK_CODE = OUTCOMES.index(Outcome.OK)
FAILED_CODE = OUTCOMES.index(Outcome.FAILED)
KEPT_ROWS, KEPT_SHARE = 300_000, 2
"""Selections are kept until their rows add up to this, or to twice the table if that is more.

What hangs on a row takes up to 300 bytes, so what is kept stays within reach of the data's own size.
"""

FEW_LABELS = 24


@dataclass(frozen=True, slots=True)
class Sample:
    """The values of one column over the ok requests that have it.

    All of shape (n,): ``positions`` and ``values`` in time order, ``ordered`` ascending. The first
    ``timed`` of them carry a time.
    """

    positions: NDArray[Any]
    values: NDArray[Any]
    ordered: NDArray[Any]
    timed: int
    missing: int

    @property
    def n(self) -> int:
        """How many values there are."""
        return len(self.values)


@dataclass(eq=False)
class Selection:
    """Rows of one table, in time order, and what was already worked out over them."""

    table: RequestTable
    positions: NDArray[np.int64]
    memo: dict[Any, Any] = field(default_factory=dict)

    @property
    def outcome_counts(self) -> NDArray[np.int64]:
        """Requests by outcome, in OUTCOMES order."""
        if "outcomes" not in self.memo:
            codes = self.table.outcomes[self.positions]
            self.memo["ok"] = self.positions[codes == OK_CODE]
            counted = [np.count_nonzero(codes == code) for code in range(len(OUTCOMES))]
            self.memo["outcomes"] = np.asarray(counted, np.int64)
        counts: NDArray[np.int64] = self.memo["outcomes"]
        return counts

    @property
    def ok(self) -> NDArray[np.int64]:
        """Positions of the requests that succeeded."""
        _ = self.outcome_counts
        positions: NDArray[np.int64] = self.memo["ok"]
        return positions

    @property
    def failed(self) -> int:
        """How many requests failed."""
        return int(self.outcome_counts[FAILED_CODE])

    def sample(self, column: str) -> Sample:
        """The column's values over the ok requests; e2e is kept, since most figures start from it."""
        kept: Sample | None = self.memo.get(("sample", column))
        if kept is None:
            kept = _sample(self, column)
            if column == "e2e_us":
                self.memo["sample", column] = kept
        return kept


def _sample(selection: Selection, column: str) -> Sample:
    positions = selection.ok
    values = selection.table.numbers[column][positions]
    if len(values) and values.min() == MISSING:
        present = values != MISSING
        positions, values = positions[present], values[present]
    timed = int(np.searchsorted(positions, selection.table.timed))
    return Sample(positions, values, np.sort(values), timed, len(selection.ok) - len(positions))


def select(table: RequestTable, chosen: Filter) -> Selection:
    """Rows under a filter. A generation's last selections are kept."""
    with table.lock:
        kept = table.selections.pop(chosen, None)
    if kept is None:
        condition, values = where(chosen)
        query = f"SELECT rowid FROM {table.name} WHERE {condition}"  # noqa: S608 fixed names
        kept = Selection(table, table.fetch_arrays(query, values)["rowid"])
    with table.lock:
        table.selections[chosen] = kept  # last in, so that the first is the longest unused
        most = max(KEPT_ROWS, KEPT_SHARE * table.size)
        while len(table.selections) > 1 and _rows_kept(table) > most:
            table.selections.pop(next(iter(table.selections)))
    selection: Selection = kept
    return selection


def _rows_kept(table: RequestTable) -> int:
    return sum(len(selection.positions) + 1 for selection in table.selections.values())


def where(chosen: Filter) -> tuple[str, list[Any]]:
    """A condition over fixed column names with its bound values. Load tests stay out unless named."""
    terms, values = ["TRUE"], list[Any]()
    for dimension in DIMENSIONS:
        accepted = getattr(chosen, dimension)
        if accepted:
            term, bound = _accepts(dimension, accepted)
            terms.append(term)
            values += bound
    if not chosen.load_test:
        terms.append("load_test IS NULL")
    for bound_time, comparison in ((chosen.since_us, ">="), (chosen.until_us, "<")):
        if bound_time is not None:
            terms.append(f"start_us {comparison} ?")
            values.append(bound_time)
    return " AND ".join(terms), values


def _accepts(dimension: str, accepted: tuple[str | None, ...]) -> tuple[str, list[Any]]:
    labels = [label for label in accepted if label is not None]
    terms = [f"{dimension} IN ?"] if labels else []
    if None in accepted:
        terms.append(f"{dimension} IS NULL")
    return f"({' OR '.join(terms)})", [labels] if labels else []


def split(selection: Selection, dimensions: tuple[str, ...]) -> list[tuple[dict[str, str | None], Selection]]:
    """The selection cut by the values of ``dimensions`` that occur, in label order, None last.

    Raises FilterError for a dimension that does not exist. Without dimensions it is one group.
    """
    if not dimensions:
        return [({}, selection)]
    first, *rest = dimensions
    dimension = selection.table.dimensions[check_dimension(first)]
    codes = dimension.codes[selection.positions]
    groups = list[tuple[dict[str, str | None], Selection]]()
    pieces = _by_code(selection.positions, codes, len(dimension.labels))
    for label, piece in zip(dimension.labels, pieces, strict=True):
        if len(piece):
            inner = split(Selection(selection.table, piece), tuple(rest))
            groups += [({first: label, **names}, part) for names, part in inner]
    return groups


def _by_code(positions: NDArray[np.int64], codes: NDArray[Any], labels: int) -> list[NDArray[np.int64]]:
    """The positions of each code, in rising order; two ways, each the faster one for its case."""
    if labels <= FEW_LABELS:
        return spread(lambda code: positions[np.flatnonzero(codes == code)], range(labels))
    counts = np.bincount(codes, minlength=labels)
    return np.split(positions[np.argsort(codes, kind="stable")], np.cumsum(counts)[:-1])


def split_by(selection: Selection, dimension: str) -> list[tuple[str | None, Selection]]:
    """The selection cut by one dimension; kept, since several figures cut alike."""
    key = ("split", dimension)
    if key not in selection.memo:
        selection.memo[key] = [(names[dimension], part) for names, part in split(selection, (dimension,))]
    groups: list[tuple[str | None, Selection]] = selection.memo[key]
    return groups
