"""Overview: how many, how slow, which hop makes the tail, and where it is worst."""

from __future__ import annotations

import html

import plotly.graph_objects as go
import streamlit as st

from budget_model.queries.filters import Filter
from budget_model.queries.results import (
    Counts,
    Difference,
    DifferenceBar,
    PercentileRow,
    SegmentRow,
    SegmentTable,
)
from budget_model.views import address, cards, draw, explain, filters, tables
from budget_model.views import format as words
from budget_model.views.cards import Card
from budget_model.views.charts.colours import HOP_COLOURS
from budget_model.views.charts.trend import trend_figure
from budget_model.views.charts.waterfall import waterfall_figure
from budget_model.views.frame import Page
from budget_model.views.tables import Cell, Column

QUANTILES = (0.5, 0.95, 0.99)
WORST_BY = ("workload", "tenant", "region", "bucket")
WORST_ROWS = 8


def render(page: Page) -> None:
    """Draw the page."""
    f, answers = page.filter, page.answers
    counts = answers.counts(f)
    if not counts.total:
        st.info(
            "No request matches the filter. Clear it to see everything.", icon=":material/filter_alt_off:"
        )
        return
    rows = answers.percentiles(f, ("e2e", "ttft"), QUANTILES)
    _headlines(counts, rows, f)
    if not counts.ok:
        st.warning("None of these requests succeeded, so there is no latency to show.")
        return
    difference = answers.difference(f, 0.5, 0.99)
    _lead(difference, f)
    chart = waterfall_figure(difference.high)
    left, right = draw.halves("overview")
    with left:
        _where_it_goes(chart, difference, f)
    with right:
        _over_time(page, chart.layout.height)
    _worst(page)


def _headlines(counts: Counts, rows: tuple[PercentileRow, ...], f: Filter) -> None:
    e2e, ttft = rows[0], rows[1]
    shown = [_requests(counts)]
    shown += [cards.percentile(f"End to end {words.percentile(v.q)}", v) for v in e2e.estimates]
    shown.append(cards.percentile("First token p50", ttft.estimates[0]))
    shown.append(cards.percentile("First token p99", ttft.estimates[-1]))
    cards.show(shown, key="headlines")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(others_in_words(counts))
        p99 = e2e.estimates[-1]
        lines = explain.quantile_lines(p99, e2e.failed, e2e.missing, f)
        explain.behind("End to end p99", lines, key="headlines", links=[explain.traces_at(0.99)], f=f)


def _requests(counts: Counts) -> Card:
    part = words.share(words.ratio(counts.failed, counts.total))
    return Card(
        "Requests", words.count(counts.total), f"{counts.ok:,} ok<br>{counts.failed:,} failed ({part})"
    )


def others_in_words(counts: Counts) -> str:
    """Requests that are in no latency figure, and why, as one line."""
    parts = [
        words.plural(counts.failed, "failed", "failed"),
        words.plural(counts.empty, "empty answer"),
        words.plural(counts.incomplete, "incomplete", "incomplete"),
        words.plural(counts.cancelled, "cancelled", "cancelled"),
    ]
    line = f"Latency figures are over the {counts.ok:,} ok requests. Not in them: {', '.join(parts)}."
    if counts.without_time:
        line += f" {words.plural(counts.without_time, 'request')} without a time are in no time view."
    return line


def guilty(difference: Difference) -> DifferenceBar | None:
    """The hop whose share grows most from the lower percentile to the upper; None when none grows.

    Not the hop that grows by most milliseconds: a tail that is the median drawn longer, every hop
    in proportion, has no guilty hop, however long its decode.
    """
    grown = [bar for bar in difference.bars if _gain(bar, difference) > 0 and bar.delta_ms > 0]
    return max(grown, key=lambda bar: _gain(bar, difference), default=None)


def _gain(bar: DifferenceBar, difference: Difference) -> float:
    at_high = words.ratio(bar.high_ms, difference.high.estimate.value_ms or 0.0)
    at_low = words.ratio(bar.low_ms, difference.low.estimate.value_ms or 0.0)
    return (at_high or 0.0) - (at_low or 0.0)


def guilty_in_words(bar: DifferenceBar, difference: Difference) -> str:
    """Safe markup: "queue: 31 % of the p99, 2 % of the median"."""
    high, low = difference.high.estimate, difference.low.estimate
    at_high = words.share(words.ratio(bar.high_ms, high.value_ms or 0.0))
    at_low = words.share(words.ratio(bar.low_ms, low.value_ms or 0.0))
    return (
        f"<b>{html.escape(bar.hop)}</b>: {at_high} of the {words.percentile_word(high.q)}, "
        f"{at_low} of the {words.percentile_word(low.q)}"
    )


def _lead(difference: Difference, f: Filter) -> None:
    draw.heading("Where the p99 goes")
    bar = guilty(difference)
    if bar is not None:
        hops = tables.anchor("All hops", address.href("Hops", f))
        slow = tables.anchor(
            f"Slow requests where {bar.hop} is largest", address.href("Traces", f, hop=bar.hop)
        )
        with st.container(key="guilty-hop"):
            st.html(
                f'<div class="tb-lead" style="--tb-hop: {HOP_COLOURS[bar.hop]}">'
                f"{guilty_in_words(bar, difference)}"
                f'<div class="tb-sub">Its share grows most, by {words.signed(bar.delta_ms)}. '
                f"{hops} · {slow}</div></div>"
            )


def _where_it_goes(chart: go.Figure, difference: Difference, f: Filter) -> None:
    draw.subheading("A request at the p99, hop by hop")
    draw.chart(chart, key="overview-waterfall", alt="Hop times of a request at the p99")
    explain.behind(
        "Bars that add to the p99",
        explain.waterfall_lines(difference.high),
        key="overview-waterfall",
        links=[explain.traces_at(0.99)],
        f=f,
    )


def _over_time(page: Page, height: int) -> None:
    draw.subheading("End to end over time")
    series = page.answers.series(page.filter, "e2e")
    if not series.points:
        st.info("None of these requests carries a time, so there is no trend.")
        return
    draw.chart(
        trend_figure(series, height=height), key="overview-trend", alt="End to end percentiles over time"
    )
    explain.behind("Percentiles over time", explain.series_lines(series), key="overview-trend")


def _worst(page: Page) -> None:
    draw.heading("Worst segments")
    with st.container(key="worst-segments"):
        chosen = address.pick(
            "by", "Split by", WORST_BY, "workload", lambda d: filters.NAMES[d], titled=False
        )
        table = page.answers.segments(page.filter, chosen, 0.99)
        tables.show(
            COLUMNS, [segment_cells(row, table, page.filter) for row in worst(table)], key="worst-table"
        )
        left_out = len(table.rows) - WORST_ROWS
        if left_out > 0:
            st.caption(f"{left_out:,} more on the Hops page.")


COLUMNS = (
    Column("Segment"),
    Column("End to end p99", "r", "nearest rank, with its 95 % interval"),
    Column("Median", "r"),
    Column("Requests", "r", "ok requests, and failed ones"),
    Column("Share of traffic", "r"),
    Column(
        "Share of the tail",
        "r",
        "of all requests slower than the overall p99, the share that is in this segment",
    ),
    Column(""),
)


def worst(table: SegmentTable) -> list[SegmentRow]:
    """The segments with the highest percentile first; those without one last."""
    return sorted(table.rows, key=lambda row: -(row.estimate.value_ms or -1.0))[:WORST_ROWS]


def segment_cells(row: SegmentRow, table: SegmentTable, f: Filter) -> list[Cell | str]:
    """A segment as a table row: its percentile, sample and shares, and links narrowed to it."""
    narrowed = f.with_values(table.dimension, (row.value,))
    kept = address.kept("q", "by", "metric")
    return [
        tables.link(row.value, address.href("Hops", narrowed, **kept)),
        tables.estimate(row.estimate),
        words.duration(row.median_ms),
        Cell(f"{row.n:,}<br><small>{row.failed:,} failed</small>"),
        words.share(row.traffic_share),
        words.share(row.tail_share),
        tables.link("slowest", address.href("Traces", narrowed, **address.kept("q"))),
    ]
