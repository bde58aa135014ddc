"""Prefill against decode: every pair of times that meets the target exactly."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from budget_model.domain.frontier import FrontierPoint
from budget_model.views import format as words
from budget_model.views.charts import base
from budget_model.views.charts.colours import HOP_COLOURS, TOTAL_COLOUR


def frontier_figure(points: Sequence[FrontierPoint], chosen: FrontierPoint | None) -> go.Figure:
    """The curve in percent of today's times; inside it the target holds. ``chosen`` is marked."""
    drawn = base.figure(205, top=8)
    xs, ys = [100 * p.prefill_scale for p in points], [100 * p.decode_scale for p in points]
    drawn.add_scatter(
        name="meets the target exactly",
        x=xs,
        y=ys,
        mode="lines",
        line={"color": HOP_COLOURS["decode"], "width": 2.5},
        fill="tozeroy",
        fillcolor="rgba(47,127,193,0.12)",
        hovertemplate="prefill %{x:.0f} % of today<br>decode at most %{y:.0f} %<extra></extra>",
    )
    drawn.add_scatter(
        name="today",
        x=[100],
        y=[100],
        mode="markers+text",
        text=["today"],
        textposition="bottom left",
        marker={"color": TOTAL_COLOUR, "size": 10, "symbol": "x"},
        hoverinfo="skip",
    )
    if chosen is not None:
        drawn.add_scatter(
            name="chosen",
            x=[100 * chosen.prefill_scale],
            y=[100 * chosen.decode_scale],
            mode="markers",
            marker={"color": HOP_COLOURS["prefill"], "size": 13, "line": {"color": "#ffffff", "width": 1.5}},
            hovertext=[point_words(chosen)],
            hoverinfo="text",
        )
    furthest, highest = max([110.0, *xs]), max([110.0, *ys])
    drawn.update_xaxes(title="prefill, % of today's time", range=[0, furthest], tickangle=0, nticks=6)
    drawn.update_yaxes(title="decode, % of today's", range=[0, 1.08 * highest], nticks=5)
    return drawn


def point_words(point: FrontierPoint) -> str:
    """The point in words."""
    return (
        f"With prefill at {words.share(point.prefill_scale)} of today's time, "
        f"decode may take {words.share(point.decode_scale)} of today's."
    )
