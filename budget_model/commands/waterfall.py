"""``tailbudget waterfall``: where an end-to-end percentile goes, hop by hop."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table

from budget_model.commands import cells
from budget_model.commands.common import HomeOption, JsonOption, out, print_json, settings_to_read
from budget_model.commands.filter_options import FilterOptions, with_filter_options
from budget_model.commands.percentiles import ends_of
from budget_model.domain.quantiles import percentile_name
from budget_model.errors import NoDataError
from budget_model.queries.results import Bar, Waterfall
from budget_model.services.workspace import Workspace

BAR_WIDTH = 24
NOTABLE_FACTOR = 0.02
"""How far the window's mean may be from the percentile before the table says so."""

PercentileOption = Annotated[float, typer.Option("--percentile", help="Which e2e percentile, such as 99.")]


@with_filter_options
def waterfall(
    percentile: PercentileOption = 99.0,
    home: HomeOption = None,
    as_json: JsonOption = False,
    *,
    options: FilterOptions,
) -> None:
    """Hop bars that add up to the end-to-end percentile exactly."""
    workspace = Workspace(settings_to_read(home))
    try:
        figures = workspace.figures
        found = figures.waterfall(options.to_filter(figures), percentile / 100)
    finally:
        workspace.close()
    if as_json:
        print_json(waterfall_json(found))
    elif found.n:
        out.print(_table(found))
        out.print(_words(found), markup=False, soft_wrap=True)
    if not found.n:
        raise NoDataError(
            f"no ok request under this filter has an end-to-end time"
            f" ({found.failed} failed, {found.missing} without one)"
        )


def waterfall_json(found: Waterfall) -> dict[str, Any]:
    """The waterfall as the command's JSON gives it."""
    window = found.window
    return {
        "n": found.n,
        "failed": found.failed,
        "e2e_ms": found.estimate.value_ms,
        "ci95_ms": ends_of(found.estimate.interval),
        "window": {
            "rank": window.rank if found.n else None,
            "half_width": window.half_width if found.n else None,
            "mean_ms": window.mean_ms if found.n else None,
            "factor": window.factor if found.n else None,
        },
        "bars": [_bar_json(bar) for bar in found.bars],
        "sum_of_own_quantiles_ms": found.sum_of_own_quantiles_ms,
    }


def _bar_json(bar: Bar) -> dict[str, Any]:
    return {
        "hop": bar.hop,
        "ms": bar.ms,
        "printed_ms": bar.printed_ms,
        "own_quantile_ms": bar.own_quantile_ms,
    }


def _table(found: Waterfall) -> Table:
    name = percentile_name(found.estimate.q)
    table = Table(title=f"e2e {name}, hop by hop, in ms", show_footer=True, box=box.SIMPLE)
    table.add_column("hop", "e2e")
    whole, total_ms = found.in_whole_ms, found.estimate.value_ms or 0.0
    total = cells.printed(total_ms, found.printed_total_ms, in_whole_ms=whole)
    table.add_column(f"share of e2e {name}", total, justify="right")
    table.add_column("", no_wrap=True)
    table.add_column(f"the hop's own {name}", "does not add", justify="right")
    longest = max((bar.ms for bar in found.bars), default=0.0) or 1.0
    for bar in found.bars:
        drawn = "█" * round(BAR_WIDTH * bar.ms / longest)
        share = cells.printed(bar.ms, bar.printed_ms, in_whole_ms=whole)
        table.add_row(bar.hop, share, drawn, cells.milliseconds(bar.own_quantile_ms))
    return table


def _words(found: Waterfall) -> str:
    estimate, window = found.estimate, found.window
    text = (
        f"n {found.n:,}, {found.failed:,} failed, {found.missing:,} without e2e;"
        f" 95 % interval {cells.interval(estimate.interval)}, grade {estimate.grade};"
        f" bars from {window.size:,} request{'s' if window.size > 1 else ''} around rank {window.rank:,}"
    )
    if abs(window.factor - 1) > NOTABLE_FACTOR:
        text += f", scaled by {window.factor:.3f}"
    return text
