"""A metric over time, gaps included: an hour without requests is a point without a value."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.design_effect import independent
from budget_model.domain.quantiles import quantile
from budget_model.errors import FilterError
from budget_model.queries.columns import TOKEN_GAP_METRIC, metric_column
from budget_model.queries.estimates import described
from budget_model.queries.pool import spread
from budget_model.queries.results import Series, SeriesPoint
from budget_model.queries.selection import FAILED_CODE, Sample, Selection
from budget_model.queries.time_widths import bucket_start, nice_width
from budget_model.units import us_to_ms


@dataclass(frozen=True, slots=True)
class _Axis:
    """``edges`` has one more entry than there are buckets."""

    edges: NDArray[np.int64]
    width_us: int


def series(selection: Selection, metric: str, width_us: int | None = None) -> Series:
    """Percentiles of ``metric`` per bucket of UTC time, over the span the selection covers.

    The width is the narrowest usual one giving at most 120 points, unless ``width_us`` is given.
    Inside a bucket requests are taken as independent. Token gaps have no series: raises FilterError.
    """
    if metric == TOKEN_GAP_METRIC:
        raise FilterError("token gaps carry no time of their own; tpot over time is the figure to ask for")
    column = metric_column(metric)
    timed = selection.positions[: int(np.searchsorted(selection.positions, selection.table.timed))]
    without = len(selection.positions) - len(timed)
    if not len(timed):
        return Series(metric, width_us or 0, (), without)
    axis = _axis(selection, timed, width_us)
    return Series(metric, axis.width_us, _points(selection, selection.sample(column), timed, axis), without)


def _axis(selection: Selection, timed: NDArray[np.int64], width_us: int | None) -> _Axis:
    starts = selection.table.numbers["start_us"]
    first, last = int(starts[timed[0]]), int(starts[timed[-1]])
    width = width_us or nice_width(first, last)
    low = bucket_start(first, width)
    return _Axis(np.arange(low, bucket_start(last, width) + 2 * width, width, dtype=np.int64), width)


def _points(
    selection: Selection, sample: Sample, timed: NDArray[np.int64], axis: _Axis
) -> tuple[SeriesPoint, ...]:
    table = selection.table
    rows = np.searchsorted(table.numbers["start_us"][: table.timed], axis.edges)
    cuts = np.searchsorted(sample.positions, rows)
    failed_positions = timed[table.outcomes[timed] == FAILED_CODE]
    failed = np.diff(np.searchsorted(failed_positions, rows))
    pieces = [sample.values[a:b] for a, b in pairwise(cuts)]
    tasks = list(zip(axis.edges[:-1].tolist(), pieces, failed.tolist(), strict=True))
    return tuple(spread(_point, tasks))


def _point(task: tuple[int, NDArray[Any], int]) -> SeriesPoint:
    start_us, values, failed = task
    if not len(values):
        return SeriesPoint(start_us, 0, failed, None, None, None, "-")
    ordered = np.sort(values)
    n = len(ordered)
    p50, p95, p99 = (quantile(ordered, q) for q in (0.5, 0.95, 0.99))
    letter = described(Sample(values, values, ordered, 0, 0), 0.99, p99, independent(n)).grade
    return SeriesPoint(start_us, n, failed, us_to_ms(p50), us_to_ms(p95), us_to_ms(p99), letter)
