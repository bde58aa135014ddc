"""A metric's percentiles over time; quiet hours are gaps, thin samples hollow points."""

from __future__ import annotations

from datetime import UTC, datetime

import plotly.graph_objects as go

from budget_model.queries.results import Series, SeriesPoint
from budget_model.views import format as words
from budget_model.views.charts import base
from budget_model.views.charts.colours import QUANTILE_STYLES


def trend_figure(series: Series, height: int = 300) -> go.Figure:
    """p50, p95 and p99 of ``series`` by time bucket; y in ms (s from 2 s on), x in UTC."""
    points = series.points
    highest = max((v for p in points for v in (p.p50_ms, p.p95_ms, p.p99_ms) if v is not None), default=0.0)
    scale, unit = base.time_axis_unit(highest, seconds_from=2_000)
    times = [datetime.fromtimestamp(p.start_us / 1e6, UTC) for p in points]
    drawn = base.figure(height)
    for name, (colour, dash) in QUANTILE_STYLES.items():
        values = [getattr(p, f"{name}_ms") for p in points]
        drawn.add_scatter(
            name=name,
            x=times,
            y=[None if v is None else v / scale for v in values],
            mode="lines+markers",
            line={"color": colour, "dash": dash, "width": 2},
            marker={"size": 4, "symbol": [_symbol(p, name) for p in points]},
            connectgaps=False,
            hovertext=[_hover(p, name, v) for p, v in zip(points, values, strict=True)],
            hoverinfo="text",
        )
    base.legend_on_top(drawn)
    drawn.update_xaxes(title=f"start of the request, UTC, by {words.span_of_time(series.bucket_us)}")
    drawn.update_yaxes(title=f"{words.metric(series.metric)} ({unit})", rangemode="tozero")
    return drawn


def _symbol(point: SeriesPoint, name: str) -> str:
    return "circle-open" if name == "p99" and point.grade == "C" else "circle"


def _hover(point: SeriesPoint, name: str, value: float | None) -> str:
    few = f" ({words.TOO_FEW})" if name == "p99" and point.grade == "C" else ""
    return (
        f"<b>{name} {words.duration(value)}</b>{few}<br>{words.minute(point.start_us)} UTC"
        f"<br>{words.sample(point.n)}, {words.count(point.failed)} failed"
    )
