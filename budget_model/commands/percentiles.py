"""``tailbudget percentiles``: nearest-rank percentiles with n, failures, intervals and grades."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table

from budget_model.commands import cells
from budget_model.commands.common import HomeOption, JsonOption, print_json, settings_to_read
from budget_model.commands.filter_options import FilterOptions, with_filter_options
from budget_model.domain.quantiles import percentile_name
from budget_model.queries.results import METHOD, Interval, PercentileRow
from budget_model.services.workspace import Workspace

DEFAULT_METRICS = ("e2e", "ttft", "tpot")
DEFAULT_PERCENTILES = (50.0, 95.0, 99.0)

MetricOption = Annotated[
    list[str] | None,
    typer.Option("--metric", help="e2e, ttft, first_answer, generation, tpot, itl or a hop. Repeatable."),
]
PercentileOption = Annotated[
    list[float] | None, typer.Option("--q", help="Percentile, such as 99 or 99.9. Repeatable.")
]
ByOption = Annotated[list[str] | None, typer.Option("--by", help="Dimension to split by. Repeatable.")]


@with_filter_options
def percentiles(
    metric: MetricOption = None,
    q: PercentileOption = None,
    by: ByOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
    *,
    options: FilterOptions,
) -> None:
    """Percentiles of latency metrics and hops over ok requests, failures counted beside them."""
    workspace = Workspace(settings_to_read(home))
    try:
        figures = workspace.figures
        wanted = tuple(percent / 100 for percent in q or DEFAULT_PERCENTILES)
        chosen = options.to_filter(figures)
        rows = figures.percentiles(chosen, tuple(metric or DEFAULT_METRICS), wanted, tuple(by or ()))
    finally:
        workspace.close()
    if as_json:
        print_json({"method": METHOD, "rows": [row_json(row) for row in rows]})
    else:
        cells.print_whole(_table(rows, tuple(by or ()), wanted))


def row_json(row: PercentileRow) -> dict[str, Any]:
    """A row as the command's JSON gives it; the grade is of the highest percentile asked for."""
    names = [f"{percentile_name(estimate.q)}_ms" for estimate in row.estimates]
    values = {name: estimate.value_ms for name, estimate in zip(names, row.estimates, strict=True)}
    ends = {name: ends_of(estimate.interval) for name, estimate in zip(names, row.estimates, strict=True)}
    return {
        "group": row.group,
        "metric": row.metric,
        "n": row.n,
        "failed": row.failed,
        "missing": row.missing,
        **values,
        "ci95": ends,
        "grade": _grade(row),
    }


def ends_of(interval: Interval) -> list[float | None]:
    """An interval as a pair; null is an end that cannot be estimated."""
    return [interval.low_ms, interval.high_ms]


def _grade(row: PercentileRow) -> str:
    return max(row.estimates, key=lambda estimate: estimate.q).grade


def _table(rows: Sequence[PercentileRow], by: tuple[str, ...], qs: tuple[float, ...]) -> Table:
    table = Table(title=f"Latency in ms, {METHOD} over ok requests", box=box.SIMPLE, padding=(0, 1, 0, 0))
    for name in (*by, "metric"):
        table.add_column(name, no_wrap=True)
    for name in ("n", "failed", "missing", *map(percentile_name, qs)):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(f"95 % of {percentile_name(max(qs))}", justify="right", no_wrap=True)
    table.add_column("grade", no_wrap=True)
    for row in rows:
        top = max(row.estimates, key=lambda estimate: estimate.q)
        table.add_row(
            # Where there is no request there is no group, only a row that says so.
            *(cells.label(row.group[name]) if row.group else "" for name in by),
            row.metric,
            *(f"{count:,}" for count in (row.n, row.failed, row.missing)),
            *(cells.milliseconds(estimate.value_ms) for estimate in row.estimates),
            cells.interval(top.interval),
            top.grade,
        )
    return table
