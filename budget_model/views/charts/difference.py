"""What the tail has that the median has not: from one percentile to another, hop by hop."""

from __future__ import annotations

from itertools import accumulate

import plotly.graph_objects as go

from budget_model.queries.results import Difference, DifferenceBar, Waterfall
from budget_model.views import format as words
from budget_model.views import text
from budget_model.views.charts import base
from budget_model.views.charts.colours import TOTAL_COLOUR, colours, patterns

VALUE_PX = 88
"""Right edge of the column of changes, from where the axis ends."""


def difference_figure(difference: Difference) -> go.Figure:
    """The lower total, each hop's change on top of it, the upper total; x in ms (s from 10 s on)."""
    bars = [bar for bar in difference.bars if bar.low_ms or bar.high_ms]
    low, high = difference.low.estimate, difference.high.estimate
    low_ms, high_ms = low.value_ms or 0.0, high.value_ms or 0.0
    edges = list(accumulate((bar.delta_ms for bar in bars), initial=low_ms))
    scale, unit = base.time_axis_unit(max([*edges, high_ms]))
    low_name, high_name = words.percentile(low.q), words.percentile(high.q)
    labels = [
        f"<b>{low_name} end to end</b>",
        *(text.chart(bar.hop) for bar in bars),
        f"<b>{high_name} end to end</b>",
    ]
    values = [
        f"<b>{_total(difference.low, difference)}</b>",
        *(_label(bar, difference) for bar in bars),
        f"<b>{_total(difference.high, difference)}</b>",
    ]
    drawn = base.figure(72 + 32 * len(labels), right=VALUE_PX + 2)
    drawn.add_bar(
        orientation="h",
        y=labels,
        x=[low_ms / scale, *(abs(bar.delta_ms) / scale for bar in bars), high_ms / scale],
        base=[
            0.0,
            *(min(edge, edge + bar.delta_ms) / scale for edge, bar in zip(edges, bars, strict=False)),
            0.0,
        ],
        marker={
            "color": [TOTAL_COLOUR, *colours([bar.hop for bar in bars]), TOTAL_COLOUR],
            "pattern": {
                "shape": ["", *patterns([bar.hop for bar in bars]), ""],
                "fgcolor": "#f2f4f7",
                "size": 6,
            },
        },
        text=values,
        textposition="none",
        hovertext=[
            words.estimate(low),
            *(_hover(bar, low_name, high_name) for bar in bars),
            words.estimate(high),
        ],
        hoverinfo="text",
    )
    base.value_column(drawn, values, VALUE_PX)
    drawn.update_yaxes(autorange="reversed")
    drawn.update_xaxes(
        tickangle=0, nticks=5, title=f"time ({unit})", range=[0, max([*edges, high_ms]) / scale or 1]
    )
    return drawn


def _total(waterfall: Waterfall, difference: Difference) -> str:
    total_ms = waterfall.estimate.value_ms or 0.0
    return words.printed(total_ms, waterfall.printed_total_ms, in_whole_ms=difference.in_whole_ms)


def _label(bar: DifferenceBar, difference: Difference) -> str:
    if not difference.in_whole_ms:
        return ("+" if bar.delta_ms > 0 else "") + words.exact_ms(bar.delta_ms)
    if bar.printed_delta_ms == 0 and bar.delta_ms:
        return words.signed(bar.delta_ms)
    return ("+" if bar.printed_delta_ms > 0 else "") + words.whole_ms(bar.printed_delta_ms)


def _hover(bar: DifferenceBar, low_name: str, high_name: str) -> str:
    return (
        f"<b>{text.chart(bar.hop)}</b><br>{words.duration(bar.low_ms)} at the {low_name}, "
        f"{words.duration(bar.high_ms)} at the {high_name}: {words.signed(bar.delta_ms)}"
    )
