"""A change's effect on every hop: the bars of the percentile before and after."""

from __future__ import annotations

import plotly.graph_objects as go

from budget_model.services.whatif import Effect
from budget_model.views import format as words
from budget_model.views import text
from budget_model.views.charts import base
from budget_model.views.charts.colours import HOP_PATTERNS, TOTAL_COLOUR, colours


def effect_figure(effect: Effect) -> go.Figure:
    """Two bars a hop, each side adding to its percentile; milliseconds (seconds from 10 s on)."""
    hops = [hop for hop in effect.bars_before_ms if effect.bars_before_ms[hop] or effect.bars_after_ms[hop]]
    sides = (("before", effect.bars_before_ms), ("after", effect.bars_after_ms))
    longest = max((side[hop] for _, side in sides for hop in hops), default=1.0)
    scale, unit = base.time_axis_unit(longest)
    drawn = base.figure(90 + 44 * len(hops), right=90, top=26)
    for name, bars in sides:
        drawn.add_bar(
            name=name,
            orientation="h",
            y=[text.chart(hop) for hop in hops],
            x=[bars[hop] / scale for hop in hops],
            marker={
                "color": TOTAL_COLOUR if name == "before" else colours(hops),
                "pattern": {"shape": [HOP_PATTERNS.get(hop, "") for hop in hops], "size": 6},
            },
            text=[words.duration(bars[hop]) for hop in hops],
            textposition="outside",
            cliponaxis=False,
            customdata=hops,
            hoverinfo="skip",
        )
    drawn.update_layout(barmode="group", bargap=0.24)
    drawn.update_yaxes(autorange="reversed", showgrid=False, title=None)
    drawn.update_xaxes(tickangle=0, nticks=5, title=f"time in a request at the percentile ({unit})")
    base.legend_on_top(drawn)
    return drawn
