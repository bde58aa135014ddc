"""Lists of single requests: the slowest, the latest, those around a percentile, the neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.quantiles import nearest_rank
from budget_model.errors import FilterError
from budget_model.queries import remarkable
from budget_model.queries.columns import check_quantile
from budget_model.queries.filters import DIMENSIONS
from budget_model.queries.ranks import positions_at, rank_of
from budget_model.queries.results import RequestPage, RequestRow
from budget_model.queries.selection import Selection
from budget_model.queries.table import MISSING, OUTCOMES, RequestTable
from budget_model.records.facts import Outcome
from budget_model.store.schema import PATH_COLUMNS
from budget_model.units import us_to_ms

Order = Literal["slowest", "latest", "nearest", "longest"]


def requests(
    selection: Selection,
    order: Order = "slowest",
    *,
    q: float | None = None,
    outcome: str | None = None,
    hop: str | None = None,
    flagged: bool = False,
    offset: int = 0,
    limit: int = 50,
) -> RequestPage:
    """A page of requests.

    ``slowest`` lists ok requests by falling e2e (or, with another ``outcome``, those requests);
    ``latest`` lists every outcome by falling start time, those without a time last; ``nearest`` lists
    ok requests by their distance in rank from percentile ``q``; ``longest`` lists ok requests by falling
    path time of ``hop``. With ``slowest``, ``hop`` keeps the requests whose longest path time is that
    hop's; with ``latest``, ``flagged`` keeps those that carry a flag.
    Raises FilterError for an unknown order, outcome or hop, or ``nearest`` without ``q``.
    """
    if outcome is not None and outcome not in OUTCOMES:
        raise FilterError(f"there is no outcome {outcome!r}; accepted are {', '.join(OUTCOMES)}")
    found = _listed(selection, order, outcome, hop, flagged)
    if found is not None:
        return RequestPage(rows(selection, found[offset : offset + limit]), len(found))
    if order == "slowest":
        return _slowest(selection, offset, limit)
    if order == "nearest" and q is not None:
        return _nearest(selection, check_quantile(q), offset, limit)
    accepted = "slowest, latest, nearest with a percentile and longest with a hop"
    raise FilterError(f"{order!r} is no order of requests; accepted are {accepted}")


def _listed(
    selection: Selection, order: Order, outcome: str | None, hop: str | None, flagged: bool
) -> NDArray[Any] | None:
    """The whole list in its order, where it takes a look at every request; else None."""
    if order == "latest":
        latest = _latest(selection, outcome)
        return remarkable.flagged(selection, latest) if flagged else latest
    if order == "longest" and hop:
        return remarkable.longest_in(selection, hop)
    if order == "slowest" and hop:
        return remarkable.mostly_in(selection, hop)
    if order == "slowest" and outcome not in (None, Outcome.OK):
        return remarkable.by_fall(selection, _with_outcome(selection, outcome), "e2e_us")
    return None


def request(selection: Selection, request_id: str) -> RequestRow | None:
    """One request, ranked within the selection; None when there is none with this id."""
    position = position_of(selection.table, request_id)
    return None if position is None else rows(selection, (position,))[0]


def neighbours(selection: Selection, request_id: str) -> tuple[RequestRow | None, RequestRow | None]:
    """The next slower and the next faster ok request; None at either end or for a request not ranked."""
    table, sample = selection.table, selection.sample("e2e_us")
    position = position_of(table, request_id)
    rank = None if position is None else rank_of(table, sample, position)
    if rank is None:
        return None, None
    slower = rows(selection, positions_at(table, sample, rank + 1, rank + 1)) if rank < sample.n else ()
    faster = rows(selection, positions_at(table, sample, rank - 1, rank - 1)) if rank > 1 else ()
    return (slower[0] if slower else None), (faster[0] if faster else None)


def position_of(table: RequestTable, request_id: str) -> int | None:
    """The row of a request id; None when there is none."""
    query = f"SELECT rowid FROM {table.name} WHERE request_id = ? ORDER BY rowid"  # noqa: S608 fixed name
    found = table.fetch(query, [request_id])
    return int(found[0][0]) if found else None


def _slowest(selection: Selection, offset: int, limit: int) -> RequestPage:
    sample = selection.sample("e2e_us")
    last = sample.n - offset
    first = max(1, last - limit + 1)
    if last < 1 or limit < 1:
        return RequestPage((), sample.n)
    found = positions_at(selection.table, sample, first, last)[::-1]
    return RequestPage(rows(selection, found), sample.n)


def _nearest(selection: Selection, q: float, offset: int, limit: int) -> RequestPage:
    table, sample = selection.table, selection.sample("e2e_us")
    if not sample.n:
        return RequestPage((), 0)
    k, reach = nearest_rank(sample.n, q), offset + limit
    first, last = max(1, k - 2 * reach), min(sample.n, k + 2 * reach)
    ranks = sorted(range(first, last + 1), key=lambda rank: (abs(rank - k), -rank))[offset:reach]
    around = positions_at(table, sample, first, last)
    return RequestPage(rows(selection, around[[rank - first for rank in ranks]]), sample.n)


def _latest(selection: Selection, outcome: str | None) -> NDArray[Any]:
    positions = _with_outcome(selection, outcome)
    timed = int(np.searchsorted(positions, selection.table.timed))
    latest: NDArray[Any] = np.concatenate((positions[:timed][::-1], positions[timed:]))
    return latest


def _with_outcome(selection: Selection, outcome: str | None) -> NDArray[Any]:
    if outcome is None:
        return selection.positions
    codes = selection.table.outcomes[selection.positions]
    positions: NDArray[Any] = selection.positions[codes == OUTCOMES.index(outcome)]
    return positions


TEXT_COLUMNS = ("rowid", "request_id", "trace_id", "prompt_tokens", "output_tokens", "attempts")


def rows(selection: Selection, positions: Sequence[int] | NDArray[Any]) -> tuple[RequestRow, ...]:
    """The requests at ``positions``, in that order, ranked within the selection."""
    wanted = [int(position) for position in positions]
    table = selection.table
    query = f"SELECT {', '.join(TEXT_COLUMNS)} FROM {table.name} WHERE rowid IN ?"  # noqa: S608 fixed names
    texts = {row[0]: row for row in table.fetch(query, [wanted])} if wanted else {}
    return tuple(_row(selection, texts[position]) for position in wanted)


def _row(selection: Selection, text: tuple[Any, ...]) -> RequestRow:
    position, request_id, trace_id, prompt_tokens, output_tokens, attempts = text
    table, sample = selection.table, selection.sample("e2e_us")
    rank = rank_of(table, sample, position)
    return RequestRow(
        request_id=request_id,
        trace_id=trace_id,
        rank=None if rank is None else sample.n - rank + 1,
        start_us=_number(table, "start_us", position),
        outcome=OUTCOMES[table.outcomes[position]],
        e2e_ms=us_to_ms(_number(table, "e2e_us", position)),
        ttft_ms=us_to_ms(_number(table, "ttft_us", position)),
        segment={d: _label(table, d, position) for d in DIMENSIONS},
        prompt_tokens=prompt_tokens,
        output_tokens=output_tokens,
        attempts=attempts,
        flags=int(table.numbers["flags"][position]),
        path_ms=tuple(us_to_ms(_number(table, column, position)) for column in PATH_COLUMNS),
    )


def _number(table: RequestTable, column: str, position: int) -> int | None:
    value = int(table.numbers[column][position])
    return None if value == MISSING else value


def _label(table: RequestTable, dimension: str, position: int) -> str | None:
    found = table.dimensions[dimension]
    return found.labels[int(found.codes[position])]
