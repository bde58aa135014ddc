"""The waterfall: one bar a hop, each beginning where the one before ends, and the total last."""

from __future__ import annotations

import plotly.graph_objects as go

from budget_model.queries.results import Bar, Waterfall
from budget_model.views import format as words
from budget_model.views import text
from budget_model.views.charts import base
from budget_model.views.charts.colours import TOTAL_COLOUR, colours, patterns

TIME_PX, SHARE_PX = 84, 138
"""Right edges of the columns of times and shares, from where the axis ends."""


def shown_bars(waterfall: Waterfall) -> list[Bar]:
    """Hops that were recorded in the window; a hop nobody instrumented has no bar."""
    return [bar for bar in waterfall.bars if bar.instrumented > 0 or bar.ms > 0]


def waterfall_figure(waterfall: Waterfall) -> go.Figure:
    """Hop bars in path order that add to the percentile; x in milliseconds (seconds from 10 s on).

    The labels add to the printed total exactly: whole milliseconds, or microseconds of short totals.
    """
    bars = shown_bars(waterfall)
    total_ms = waterfall.estimate.value_ms or 0.0
    scale, unit = base.time_axis_unit(total_ms)
    name = words.percentile(waterfall.estimate.q)
    starts = [sum(bar.ms for bar in bars[:i]) for i in range(len(bars))]
    labels = [text.chart(bar.hop) for bar in bars] + [f"<b>{name} end to end</b>"]
    drawn = base.figure(72 + 32 * len(labels), right=SHARE_PX + 2)
    drawn.add_bar(
        orientation="h",
        y=labels,
        x=[bar.ms / scale for bar in bars] + [total_ms / scale],
        base=[start / scale for start in starts] + [0.0],
        marker={
            "color": [*colours([bar.hop for bar in bars]), TOTAL_COLOUR],
            "pattern": {"shape": [*patterns([bar.hop for bar in bars]), ""], "fgcolor": "#f2f4f7", "size": 6},
        },
        text=[bar_label(bar, waterfall) for bar in bars] + [f"<b>{total_label(waterfall)}</b>"],
        textposition="none",
        customdata=[bar.hop for bar in bars] + ["total"],
        hovertext=[_hover(bar, waterfall) for bar in bars] + [_total_hover(waterfall)],
        hoverinfo="text",
    )
    times = [_printed(bar, waterfall) for bar in bars]
    base.value_column(drawn, [*times, f"<b>{total_label(waterfall)}</b>"], TIME_PX)
    base.value_column(drawn, [_share(bar, waterfall) for bar in bars], SHARE_PX)
    drawn.update_yaxes(autorange="reversed", title=None)
    drawn.update_xaxes(
        tickangle=0,
        nticks=5,
        title=f"time in a request at the {name} ({unit})",
        range=[0, total_ms / scale or 1],
    )
    return drawn


def bar_label(bar: Bar, waterfall: Waterfall) -> str:
    """A bar's printed time and its share of the percentile."""
    part = words.ratio(bar.ms, waterfall.estimate.value_ms or 0.0)
    return f"{_printed(bar, waterfall)} · {words.share(part)}"


def _share(bar: Bar, waterfall: Waterfall) -> str:
    part = words.share(words.ratio(bar.ms, waterfall.estimate.value_ms or 0.0))
    return part.replace("under ", "&lt; ")


def total_label(waterfall: Waterfall) -> str:
    """The printed total."""
    total_ms = waterfall.estimate.value_ms or 0.0
    return words.printed(total_ms, waterfall.printed_total_ms, in_whole_ms=waterfall.in_whole_ms)


def _printed(bar: Bar, waterfall: Waterfall) -> str:
    return words.printed(bar.ms, bar.printed_ms, in_whole_ms=waterfall.in_whole_ms)


def _hover(bar: Bar, waterfall: Waterfall) -> str:
    name = words.percentile(waterfall.estimate.q)
    own = "not recorded" if bar.own_quantile_ms is None else words.duration(bar.own_quantile_ms)
    return (
        f"<b>{text.chart(bar.hop)}</b><br>{words.duration(bar.ms)} of the {name} "
        f"({words.share(words.ratio(bar.ms, waterfall.estimate.value_ms or 0.0))})"
        f"<br>own {name}: {own} (own percentiles do not add)"
        f"<br>recorded in {bar.instrumented:,} of {waterfall.window.size:,} requests around the {name}"
    )


def _total_hover(waterfall: Waterfall) -> str:
    estimate = waterfall.estimate
    return (
        f"<b>{words.percentile(estimate.q)} end to end: {words.estimate(estimate)}</b>"
        f"<br>95 % interval {words.interval(estimate.interval)}"
        f"<br>{words.sample(estimate.n)}, {words.count(waterfall.failed)} failed"
    )
