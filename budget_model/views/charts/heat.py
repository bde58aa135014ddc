"""Segment by hop: in each row the hop times that add to that segment's own percentile."""

from __future__ import annotations

import plotly.graph_objects as go

from budget_model.queries.results import HeatMap
from budget_model.views import format as words
from budget_model.views import text
from budget_model.views.charts import base

BROKEN = {"postprocess": "post-<br>process", "unattributed": "unattri-<br>buted"}
"""Long column headings in two lines, so that narrow columns need not slant them."""

MAX_ROWS = 30
"""Rows drawn; the table below the chart has them all."""

SCALE = [[0.0, "#eef3f9"], [0.25, "#b7d3ea"], [0.5, "#6aa7d6"], [0.75, "#2f7fc1"], [1.0, "#123f73"]]
"""Light to dark of one hue: order survives without colour vision."""

DARK_SCALE = [[0.0, "#18222e"], [0.25, "#1b3750"], [0.5, "#204d75"], [0.75, "#276195"], [1.0, "#2f75b4"]]
"""The same on a dark ground: more is brighter, and white text stays readable on all of it."""


def heat_figure(heat: HeatMap) -> go.Figure:
    """One row a segment, one column a hop, in milliseconds; hops nobody recorded are left out."""
    hops = [i for i, _ in enumerate(heat.hops) if any(row[i] is not None for row in heat.cells_ms)]
    rows = range(min(len(heat.values), MAX_ROWS))
    labels = _distinct([text.chart(heat.values[r]) for r in rows])
    cells = [[heat.cells_ms[r][h] for h in hops] for r in rows]
    drawn = base.figure(110 + 34 * len(labels), top=40)
    drawn.add_heatmap(
        x=[heat.hops[h] for h in hops],
        y=labels,
        z=cells,
        text=[["" if ms is None else words.duration(ms) for ms in row] for row in cells],
        texttemplate="%{text}",
        hovertext=[[_hover(heat, r, h) for h in hops] for r in rows],
        hoverinfo="text",
        colorscale=SCALE,
        zmin=0,
        xgap=2,
        ygap=2,
        showscale=False,
    )
    drawn.update_yaxes(autorange="reversed", showgrid=False, type="category")
    drawn.update_xaxes(
        side="top",
        showgrid=False,
        type="category",
        tickangle=0,
        tickmode="array",
        tickvals=[heat.hops[h] for h in hops],
        ticktext=[BROKEN.get(heat.hops[h], text.chart(heat.hops[h])) for h in hops],
    )
    return drawn


def _distinct(labels: list[str]) -> list[str]:
    seen: dict[str, int] = {}
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
    counted: dict[str, int] = {}
    answer = []
    for label in labels:
        counted[label] = counted.get(label, 0) + 1
        answer.append(f"{label} ({counted[label]})" if seen[label] > 1 else label)
    return answer


def _hover(heat: HeatMap, row: int, hop: int) -> str:
    total = heat.totals[row]
    ms = heat.cells_ms[row][hop]
    part = None if ms is None else words.ratio(ms, total.value_ms or 0.0)
    return (
        f"<b>{text.chart(heat.values[row], 60)} · {text.chart(heat.hops[hop])}</b><br>{words.duration(ms)}"
        f" ({words.share(part)} of this segment's {words.percentile(heat.q)}, {words.estimate(total)})"
        f"<br>{words.sample(total.n)}"
    )
