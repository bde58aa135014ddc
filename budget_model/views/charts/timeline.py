"""One request over time: a row a span, pale where it only ran, full where the request waited for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from budget_model.views import format as words
from budget_model.views import text
from budget_model.views.charts import base
from budget_model.views.charts.colours import HOP_COLOURS, HOP_PATTERNS, TOTAL_COLOUR

MAX_ROWS = 500
"""Rows drawn; the page says how many were left out."""

ROW_PX = 24
LABEL_PX = 270
"""Margin left of the axis for the names, which are indented by depth."""

INDENT_PX = 11
MAX_INDENT = 8
LABEL_CHARS = 36
ASYNC_PATTERN = "."
NOT_WAITED_OPACITY = 0.32


@dataclass(frozen=True, slots=True)
class Row:
    """One span. Times in ms from the request's start; ``pieces`` are its parts of the critical path."""

    name: str
    depth: int
    hop: str | None
    start_ms: float
    width_ms: float
    pieces: tuple[tuple[float, float], ...] = ()  # (start, end)
    is_async: bool = False
    failed: bool = False
    unknown: str = ""  # why there is no width, in a word or two
    note: str = ""  # more hover text, safe markup


def drawn_rows(rows: Sequence[Row], limit: int = MAX_ROWS) -> list[Row]:
    """At most ``limit`` rows in their order: those on the critical path first, then the longest."""
    if len(rows) <= limit:
        return list(rows)
    ranked = sorted(range(len(rows)), key=lambda i: (not rows[i].pieces, -rows[i].width_ms, i))
    return [rows[i] for i in sorted(ranked[:limit])]


def timeline_figure(rows: Sequence[Row], end_ms: float) -> go.Figure:
    """The rows from top to bottom; x in ms from the request's start (seconds from 10 s on)."""
    scale, unit = base.time_axis_unit(max([end_ms, *(row.start_ms + row.width_ms for row in rows)]))
    drawn = base.figure(96 + ROW_PX * len(rows), right=84, top=64)
    _add_spans(drawn, rows, scale)
    _add_path(drawn, rows, scale)
    _add_legend(drawn)
    drawn.update_layout(barmode="overlay", bargap=0.3)
    drawn.update_layout(annotations=[_label(i, row) for i, row in enumerate(rows)], margin={"l": LABEL_PX})
    drawn.update_yaxes(showticklabels=False, automargin=False, range=[len(rows) - 0.5, -0.5], showgrid=False)
    drawn.update_xaxes(
        title=f"time from the start of the request ({unit})", side="top", tickangle=0, nticks=8
    )
    return drawn


def _add_spans(drawn: go.Figure, rows: Sequence[Row], scale: float) -> None:
    drawn.add_bar(
        orientation="h",
        y=list(range(len(rows))),
        x=[row.width_ms / scale for row in rows],
        base=[row.start_ms / scale for row in rows],
        marker={
            "color": [_colour(row) for row in rows],
            "opacity": NOT_WAITED_OPACITY,
            "line": {"color": [_colour(row) for row in rows], "width": 1},
            "pattern": {"shape": [_pattern(row) for row in rows], "size": 6},
        },
        text=[_length(row) for row in rows],
        textposition="outside",
        cliponaxis=False,
        hovertext=[_hover(row) for row in rows],
        hoverinfo="text",
        showlegend=False,
    )


def _add_path(drawn: go.Figure, rows: Sequence[Row], scale: float) -> None:
    pieces = [(i, row, start, end) for i, row in enumerate(rows) for start, end in row.pieces]
    drawn.add_bar(
        orientation="h",
        y=[i for i, _, _, _ in pieces],
        x=[(end - start) / scale for _, _, start, end in pieces],
        base=[start / scale for _, _, start, _ in pieces],
        marker={
            "color": [_colour(row) for _, row, _, _ in pieces],
            "line": {"color": [_colour(row) for _, row, _, _ in pieces], "width": 1},
            "pattern": {"shape": [HOP_PATTERNS.get(row.hop or "", "") for _, row, _, _ in pieces], "size": 6},
        },
        hovertext=[
            f"{_hover(row)}<br>on the critical path for {words.duration(end - start)}"
            for _, row, start, end in pieces
        ],
        hoverinfo="text",
        showlegend=False,
    )


def _add_legend(drawn: go.Figure) -> None:
    for name, colour, pattern in (
        ("on the critical path", TOTAL_COLOUR, ""),
        ("ran, but not waited for", "rgba(102,117,138,0.32)", ""),
        ("asynchronous ⇢", "rgba(102,117,138,0.6)", ASYNC_PATTERN),
    ):
        drawn.add_bar(
            name=name,
            x=[None],
            y=[None],
            marker={"color": colour, "pattern": {"shape": pattern, "size": 6}},
        )
    base.legend_on_top(drawn)
    drawn.update_layout(legend={"y": 1, "yref": "container", "yanchor": "top"})


def _colour(row: Row) -> str:
    return HOP_COLOURS.get(row.hop or "", TOTAL_COLOUR)


def _pattern(row: Row) -> str:
    return ASYNC_PATTERN if row.is_async else HOP_PATTERNS.get(row.hop or "", "")


def _label(place: int, row: Row) -> dict[str, Any]:
    """The name left of the axis. Axis labels are set flush right, where no indent could be seen."""
    indent = min(row.depth, MAX_INDENT)
    marks = (" ⇢" if row.is_async else "") + (" ✕" if row.failed else "")
    return {
        "text": text.chart(row.name, LABEL_CHARS - 2 * indent) + marks,
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "xshift": INDENT_PX * indent - LABEL_PX + 6,
        "y": place,
        "yanchor": "middle",
        "showarrow": False,
    }


def _length(row: Row) -> str:
    return row.unknown or words.duration(row.width_ms)


def _when(row: Row) -> str:
    start = words.duration(row.start_ms)
    if row.unknown:
        return f"from {start}: {row.unknown}"
    return f"{start} to {words.duration(row.start_ms + row.width_ms)}: {words.duration(row.width_ms)}"


def _hover(row: Row) -> str:
    lines = [
        f"<b>{text.chart(row.name, 80)}</b>",
        f"hop: {text.chart(row.hop) if row.hop else 'none'}",
        _when(row),
    ]
    if row.is_async:
        lines.append("asynchronous: not awaited, not in end to end")
    if row.failed:
        lines.append("failed")
    return "<br>".join([*lines, *([row.note] if row.note else [])])
