"""The slowest requests over a budget's target, marked on the server their traces came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from budget_model.domain.budget import Budget
from budget_model.domain.hops import HOPS
from budget_model.exports.mlflow_assessments import Assessment, Put, TraceAssessments
from budget_model.exports.mlflow_client import Api
from budget_model.queries.engine import Engine
from budget_model.queries.filters import Filter
from budget_model.queries.requests import requests
from budget_model.queries.results import RequestRow
from budget_model.queries.selection import Selection, select
from budget_model.services.mlflow_publish import Following
from budget_model.services.mlflow_sources import ids_in_mlflow
from budget_model.store.ledger import Ledger
from budget_model.store.mlflow_catalog import KNOWN, MlflowCatalog

_ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Assessed:
    """What became of the traces: asked for, and how many were marked now, changed or marked before.

    ``gone`` ones are not on the server any more.
    """

    asked: int
    created: int = 0
    updated: int = 0
    already_there: int = 0
    gone: int = 0

    @property
    def found(self) -> int:
        """Requests over the target that came from the server, at most as many as were asked for."""
        return self.created + self.updated + self.already_there + self.gone


def assess_slowest(
    api: Api, ledger: Ledger, engine: Engine, budget: Budget, chosen: Filter, most: int, following: Following
) -> Assessed:
    """Mark the ``most`` slowest requests over the target that were synced from this server.

    Raises RemoteError when the server fails; what was said until then stays.
    """
    sources = _sources_at(MlflowCatalog(ledger), api.base_url)
    found = _slowest(ledger, select(engine.table(), chosen), sources, budget, most) if sources else ()
    on_server = TraceAssessments(api)
    there = on_server.look([one.trace_id for one in found])
    done: Counter[str] = Counter()
    for number, one in enumerate(found):
        if following.is_stopped:
            break
        following.tell(f"Marking trace {number + 1:,} of {len(found):,}", number, len(found))
        done[on_server.put(one) if one.trace_id in there else "gone"] += 1
    return Assessed(most, done[Put.CREATED], done[Put.UPDATED], done[Put.THERE], done["gone"])


def over_budget_hop(row: RequestRow, budget: Budget) -> tuple[str, float, float]:
    """The hop that is the furthest over its line: its name, its path time and its line, ms.

    Path times add to the request's time and lines to less than the target, so a request over the
    target has such a hop. A hop without a line is over by all it took.
    """
    lines = {line.name: line.us / 1000 for line in budget.content.lines}
    taken = {str(hop): ms for hop, ms in zip(HOPS, row.path_ms, strict=True) if ms is not None}
    worst = max(taken, key=lambda hop: taken[hop] - lines.get(hop, 0.0))
    return worst, taken[worst], lines.get(worst, 0.0)


def _slowest(
    ledger: Ledger, selection: Selection, sources: Sequence[int], budget: Budget, most: int
) -> tuple[Assessment, ...]:
    """One assessment a trace, by its slowest request."""
    found: dict[str, Assessment] = {}
    for rows in _late_rows(selection, budget.content.target_us / 1000):
        known = _known_at(MlflowCatalog(ledger), sources, rows)
        for row in rows:
            trace_id = known.get(row.trace_id)
            if trace_id is not None and trace_id not in found:
                found[trace_id] = _assessment(trace_id, row, budget)
        if len(found) >= most:
            break
    return tuple(found.values())[:most]


def _late_rows(selection: Selection, target_ms: float) -> Iterator[list[RequestRow]]:
    """Requests that took longer, the slowest first, in pages."""
    offset = 0
    while True:
        page = requests(selection, "slowest", offset=offset, limit=_ROWS_AT_ONCE).rows
        late = [row for row in page if row.e2e_ms is not None and row.e2e_ms > target_ms]
        if late:
            yield late
        if len(late) < _ROWS_AT_ONCE:
            return
        offset += _ROWS_AT_ONCE


def _sources_at(catalog: MlflowCatalog, address: str) -> list[int]:
    """Sources read from this server, or from the database behind it."""
    return [source.id for source in catalog.sources() if address in (source.address, source.pages)]


def _known_at(
    catalog: MlflowCatalog, sources: Sequence[int], rows: Sequence[RequestRow]
) -> Mapping[str, str]:
    """Ids in MLflow, by ids here, of the traces that were synced from one of the sources."""
    candidates = {one: row.trace_id for row in rows if row.trace_id for one in ids_in_mlflow(row.trace_id)}
    return {
        candidates[trace_id]: trace_id
        for source_id in sources
        for trace_id, seen in catalog.known(source_id, list(candidates)).items()
        if seen.state == KNOWN
    }


def _assessment(trace_id: str, row: RequestRow, budget: Budget) -> Assessment:
    hop, taken_ms, line_ms = over_budget_hop(row, budget)
    why = (
        f"{row.e2e_ms or 0.0:,.1f} ms where {budget.content.target_us / 1000:,g} ms are the target; "
        f"{hop} took {taken_ms:,.1f} ms of its {line_ms:,.1f} ms."
    )
    return Assessment(trace_id, f"over budget: {hop}", why, budget.name, budget.version)
