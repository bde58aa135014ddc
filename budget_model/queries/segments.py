"""One dimension, value by value: whose percentile is worst, and who fills the tail."""

from __future__ import annotations

from budget_model.queries.columns import check_dimension
from budget_model.queries.estimates import estimates, missing
from budget_model.queries.pool import spread
from budget_model.queries.results import SegmentRow, SegmentTable
from budget_model.queries.selection import Selection, split_by
from budget_model.units import US_PER_MS

COLUMN = "e2e_us"


def segments(selection: Selection, dimension: str, q: float) -> SegmentTable:
    """The e2e percentile of every value of ``dimension``, in label order.

    ``tail_share`` is the part of all requests above the overall percentile that belongs to the
    value; set beside ``traffic_share`` it tells a slow segment from a large one.
    Raises FilterError for a dimension that does not exist.
    """
    (overall,) = estimates(selection, COLUMN, (q,))
    threshold_us = None if overall.value_ms is None else round(overall.value_ms * US_PER_MS)
    groups = split_by(selection, check_dimension(dimension))
    above = spread(lambda part: _above(part, threshold_us, q), [part for _, part in groups])
    in_tail, everyone = sum(above), len(selection.positions)
    rows = [
        _row(value, part, q, count / in_tail if in_tail else None, len(part.positions) / everyone)
        for (value, part), count in zip(groups, above, strict=True)
    ]
    return SegmentTable(dimension, q, tuple(rows), overall)


def _above(part: Selection, threshold_us: int | None, q: float) -> int:
    """Ok requests above the threshold; works out the part's percentiles on the way."""
    estimates(part, COLUMN, (0.5, q))
    sample = part.sample(COLUMN)
    if threshold_us is None:
        return 0
    return sample.n - int(sample.ordered.searchsorted(threshold_us, side="right"))


def _row(
    value: str | None, part: Selection, q: float, tail_share: float | None, traffic_share: float
) -> SegmentRow:
    median, estimate = estimates(part, COLUMN, (0.5, q))
    absent = missing(part, COLUMN)
    return SegmentRow(
        value=value,
        n=len(part.ok) - absent,
        failed=part.failed,
        missing=absent,
        estimate=estimate,
        median_ms=median.value_ms,
        tail_share=tail_share,
        traffic_share=traffic_share,
    )
