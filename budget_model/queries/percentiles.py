"""The percentile table: metrics by groups, each with who is in it and who is not."""

from __future__ import annotations

from budget_model.queries.columns import TOKEN_GAP_METRIC, metric_column
from budget_model.queries.estimates import estimates, missing
from budget_model.queries.pool import spread
from budget_model.queries.results import PercentileRow
from budget_model.queries.selection import Selection, split
from budget_model.queries.token_gaps import gap_estimate, gap_sample

Group = dict[str, str | None]


def percentiles(
    selection: Selection, metrics: tuple[str, ...], qs: tuple[float, ...], by: tuple[str, ...] = ()
) -> tuple[PercentileRow, ...]:
    """One row a group and metric, groups outermost, over ok requests.

    Raises FilterError for a metric or dimension that does not exist. Without any request there is
    still one row a metric, with n = 0.
    """
    for metric in metrics:
        if metric != TOKEN_GAP_METRIC:
            metric_column(metric)
    groups = split(selection, by) or [({}, selection)]
    for _, part in groups:
        _ = part.ok  # once, before several threads ask for it
    tasks = [(group, part, metric, qs) for group, part in groups for metric in metrics]
    return tuple(spread(_row, tasks))


def _row(task: tuple[Group, Selection, str, tuple[float, ...]]) -> PercentileRow:
    group, selection, metric, qs = task
    if metric == TOKEN_GAP_METRIC:
        return _gap_row(group, selection, qs)
    column = metric_column(metric)
    found = estimates(selection, column, qs)
    absent = missing(selection, column)
    return PercentileRow(group, metric, len(selection.ok) - absent, selection.failed, absent, found)


def _gap_row(group: Group, selection: Selection, qs: tuple[float, ...]) -> PercentileRow:
    sample = gap_sample(selection)
    found = tuple(gap_estimate(sample, q) for q in qs)
    absent = len(selection.ok) - sample.requests
    return PercentileRow(group, TOKEN_GAP_METRIC, sample.requests, selection.failed, absent, found)
