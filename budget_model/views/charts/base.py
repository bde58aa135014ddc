"""What every chart shares: margins that clip nothing, quiet axes, and the words of a hover."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

CONFIG: dict[str, Any] = {
    "displayModeBar": False,
    "displaylogo": False,
    "responsive": True,
    "scrollZoom": False,
}
"""How charts behave in the browser: no tool bar, no logo, the page keeps its scroll wheel."""

_GRID = "rgba(128,140,155,0.22)"


def figure(height: int, *, right: int = 24, top: int = 12) -> go.Figure:
    """An empty figure with the house style; ``height`` in pixels."""
    drawn = go.Figure()
    drawn.update_layout(
        height=height,
        margin={"l": 8, "r": right, "t": top, "b": 8},
        showlegend=False,
        bargap=0.32,
        hoverlabel={"align": "left", "namelength": -1},
        uniformtext={"mode": "show", "minsize": 11},
        separators=".,",
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
    )
    drawn.update_xaxes(
        automargin=True, gridcolor=_GRID, zeroline=False, title_standoff=8, separatethousands=True
    )
    drawn.update_yaxes(
        automargin=True, gridcolor=_GRID, zeroline=False, title_standoff=8, separatethousands=True
    )
    return drawn


def value_column(drawn: go.Figure, values: Sequence[str], right_px: int) -> None:
    """A column of numbers right of the plot, a line a bar, flush right ``right_px`` from the plot.

    Numbers in a column compare at a glance, and no bar gives up its length for a label beside it.
    """
    for place, value in enumerate(values):
        drawn.add_annotation(
            text=value,
            x=1,
            xref="paper",
            xanchor="right",
            xshift=right_px,
            y=place,
            yanchor="middle",
            showarrow=False,
        )


def time_axis_unit(highest_ms: float, *, seconds_from: float = 10_000) -> tuple[float, str]:
    """Divisor and unit of an axis that reaches ``highest_ms``: seconds from ``seconds_from`` ms on."""
    return (1000.0, "s") if highest_ms >= seconds_from else (1.0, "ms")


def legend_on_top(drawn: go.Figure) -> None:
    """One line of legend above the plot, left-aligned."""
    drawn.update_layout(
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1.02, "xanchor": "left", "yanchor": "bottom"},
    )
