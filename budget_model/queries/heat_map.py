"""Segment by hop: for every value of a dimension, the bars that add to its own percentile."""

from __future__ import annotations

from budget_model.domain.hops import HOPS
from budget_model.domain.tail import rank_window
from budget_model.queries.columns import check_dimension
from budget_model.queries.estimates import estimates
from budget_model.queries.pool import spread
from budget_model.queries.results import HeatMap, QuantileEstimate
from budget_model.queries.selection import Selection, split_by
from budget_model.queries.waterfall import recorded_hops, whole_us, window_bars
from budget_model.units import US_PER_MS


def heat_map(selection: Selection, dimension: str, q: float) -> HeatMap:
    """Bars of each segment's own e2e percentile ``q``, over hops recorded anywhere in the selection.

    A cell is None where no request of the segment's window recorded the hop. Every row adds to its
    total exactly. Raises FilterError for a dimension that does not exist.
    """
    groups = split_by(selection, check_dimension(dimension))
    places = [HOPS.index(hop) for hop in recorded_hops(selection)]
    rows = spread(lambda part: _row(part, q, places), [part for _, part in groups])
    return HeatMap(
        dimension=dimension,
        q=q,
        values=tuple(value for value, _ in groups),
        hops=tuple(str(HOPS[i]) for i in places),
        cells_ms=tuple(cells for cells, _ in rows),
        totals=tuple(total for _, total in rows),
    )


def _row(part: Selection, q: float, places: list[int]) -> tuple[tuple[float | None, ...], QuantileEstimate]:
    (total,) = estimates(part, "e2e_us", (q,))
    sample = part.sample("e2e_us")
    if not sample.n:
        return (None,) * len(places), total
    window = rank_window(sample.n, q)
    total_us = int(sample.ordered[window.rank - 1])
    found, instrumented = window_bars(part, sample, window, total_us)
    exact = whole_us(found, total_us)
    return tuple(exact[i] / US_PER_MS if instrumented[i] else None for i in places), total
