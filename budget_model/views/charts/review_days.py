"""A week by day: a column a day and the dashed line it is held against."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from budget_model.exports.svg_columns import FILL, WARN, Column, Limit
from budget_model.views import text
from budget_model.views.charts import base

LIMIT_COLOUR = "#c77d1e"


def days_figure(columns: Sequence[Column], limit: Limit, unit: str, height: int = 260) -> go.Figure:
    """One column a day; y in percent, named ``unit``. A day without a value has its note in its place."""
    drawn = base.figure(height, top=28)
    drawn.add_bar(
        x=[_tick(column) for column in columns],
        y=[column.value for column in columns],
        marker={"color": [WARN if limit.is_broken_by(column.value) else FILL for column in columns]},
        text=[column.words for column in columns],
        textposition="outside",
        cliponaxis=False,
        hovertext=[_hover(column) for column in columns],
        hoverinfo="text",
    )
    drawn.add_hline(y=limit.value, line={"dash": "dash", "width": 1.5, "color": LIMIT_COLOUR}, layer="below")
    drawn.add_annotation(
        text=f"- - {limit.words}", x=1, xref="paper", xanchor="right", y=1, yref="paper",
        yanchor="bottom", yshift=8, showarrow=False,
    )  # fmt: skip
    low, high = _range(columns, limit)
    _add_notes(drawn, columns, above=low >= 0)
    drawn.update_xaxes(title="day the request started, UTC", tickangle=0)
    drawn.update_yaxes(title=unit, range=[low, high])
    return drawn


def _add_notes(drawn: go.Figure, columns: Sequence[Column], *, above: bool) -> None:
    """On the side of zero that has the room."""
    for column in columns:
        if column.value is None:
            drawn.add_annotation(
                text=text.chart(column.note).replace(" ", "<br>"),
                x=_tick(column),
                y=0,
                yanchor="bottom" if above else "top",
                showarrow=False,
            )


def _tick(column: Column) -> str:
    return column.label.replace(" ", "<br>", 1)


def _range(columns: Sequence[Column], limit: Limit) -> tuple[float, float]:
    known = [column.value for column in columns if column.value is not None]
    if not known:
        return 0.0, 1.14 * limit.value or 100.0
    low, high = min([0.0, limit.value, *known]), max([0.0, limit.value, *known])
    room = 0.14 * (high - low or 1.0)
    return (low - room if low < 0 else 0.0), high + room


def _hover(column: Column) -> str:
    return "<br>".join(part for part in (f"<b>{column.label}</b>", column.words, column.note) if part)
