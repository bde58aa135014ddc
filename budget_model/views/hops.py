"""Hops: the waterfall at a percentile, what the tail adds, each hop's own percentiles, where and when.

Four charts. The percentile is the page's; what concerns one chart alone is in a fragment, so that
changing it leaves the others as they are.
"""

from __future__ import annotations

import html

import streamlit as st

from budget_model.domain.hops import HOP_CLASS, HOP_MEANING, MEASURED_HOPS, Hop
from budget_model.queries.filters import DIMENSIONS
from budget_model.queries.results import PercentileRow, SegmentRow, SegmentTable, Waterfall
from budget_model.views import address, draw, explain, filters, overview, prompt_versions, tables
from budget_model.views import format as words
from budget_model.views.charts.difference import difference_figure
from budget_model.views.charts.heat import MAX_ROWS, heat_figure
from budget_model.views.charts.trend import trend_figure
from budget_model.views.charts.waterfall import waterfall_figure
from budget_model.views.frame import Page
from budget_model.views.tables import Cell, Column

QUANTILES = ("0.5", "0.75", "0.9", "0.95", "0.99", "0.999")
OWN_QUANTILES = (0.5, 0.95, 0.99)
REQUEST_METRICS = ("e2e", "ttft", "first_answer", "generation", "tpot")
TABLE_LIMIT = 100


def render(page: Page) -> None:
    """Draw the page."""
    counts = page.answers.counts(page.filter)
    if not counts.ok:
        st.info(
            "No ok request matches the filter, so there is no time to divide.",
            icon=":material/filter_alt_off:",
        )
        st.caption(overview.others_in_words(counts))
        return
    q = float(address.pick("q", "Percentile", QUANTILES, "0.99", lambda text: words.percentile(float(text))))
    waterfall = page.answers.waterfall(page.filter, q)
    left, right = draw.halves("hops")
    with left:
        _waterfall(page, waterfall)
    with right:
        _difference(page, q)
    _own_percentiles(page)
    _trend(page)
    _by_dimension(page, q)


def _waterfall(page: Page, waterfall: Waterfall) -> None:
    estimate = waterfall.estimate
    name = words.percentile(estimate.q)
    draw.heading(f"A request at the {name}: {words.estimate(estimate)}")
    st.caption(
        f"95 % interval {words.interval(estimate.interval)} · {words.sample(estimate.n)} · "
        f"{waterfall.failed:,} failed · "
        + (words.too_few(estimate) if estimate.grade == "C" else f"grade {estimate.grade}")
    )
    draw.chart(waterfall_figure(waterfall), key="hops-waterfall", alt=f"Hop times of a request at the {name}")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"Each hop's own {name}, added up: {words.duration(waterfall.sum_of_own_quantiles_ms)}. "
            "No request took that: own percentiles do not add."
        )
        lines = explain.quantile_lines(estimate, waterfall.failed, waterfall.missing, page.filter)
        explain.behind(
            f"The {name} and its bars",
            lines + explain.waterfall_lines(waterfall),
            key="hops-waterfall",
            links=[explain.traces_at(estimate.q)],
            f=page.filter,
        )


def _difference(page: Page, q: float) -> None:
    low = 0.5 if q > 0.5 else 0.0
    if not low:
        draw.heading("What the tail has that the median has not")
        st.caption("Choose a percentile above the median to compare it with.")
        return
    difference = page.answers.difference(page.filter, low, q)
    draw.heading(f"What the {words.percentile(q)} has that the median has not")
    bar = overview.guilty(difference)
    if bar is not None:
        st.html(f'<div class="tb-sub">{overview.guilty_in_words(bar, difference)}</div>')
    draw.chart(difference_figure(difference), key="hops-difference", alt="Change of each hop from the median")
    explain.behind("Two waterfalls, subtracted", explain.difference_lines(difference), key="hops-difference")


OWN_COLUMNS = (
    Column("Hop"),
    Column("p50", "r", "nearest rank over the hop's wall time"),
    Column("p95", "r"),
    Column("p99", "r", "with its grade: A, B, or C for too few samples"),
    Column("Requests", "r", "ok requests that have the hop; those without it are never counted as 0"),
    Column(""),
)


def _own_percentiles(page: Page) -> None:
    draw.heading("Each hop's own percentiles")
    st.caption(
        "Wall time of the hop's own spans: what the team that runs it sees. These do not add up, and a hop's "
        "p99 is reached in other requests than the end-to-end p99."
    )
    metrics = (*REQUEST_METRICS, *(hop.value for hop in MEASURED_HOPS))
    rows = page.answers.percentiles(page.filter, metrics, OWN_QUANTILES)
    tables.show(OWN_COLUMNS, [_own(row, page) for row in rows if row.n], key="hop-percentiles")
    silent = [words.metric(row.metric) for row in rows if not row.n]
    if silent:
        st.caption(f"No time known in any of these requests: {', '.join(silent)}.")


def _own(row: PercentileRow, page: Page) -> list[Cell | str]:
    is_hop = row.metric in HOP_CLASS
    choices = address.kept("q") | ({"order": "longest", "hop": row.metric} if is_hop else {})
    href = address.href("Traces", page.filter, **choices)
    name = tables.hop_markup(row.metric) if is_hop else html.escape(words.metric(row.metric))
    bound = HOP_CLASS[Hop(row.metric)] if is_hop else "whole request"
    meaning = HOP_MEANING[Hop(row.metric)] if is_hop else ""
    return [
        Cell(f'<span class="nw" title="{html.escape(meaning)}">{name}</span><br><small>{bound}</small>'),
        *(tables.estimate(value) for value in row.estimates[:-1]),
        tables.estimate(row.estimates[-1], graded=True),
        Cell(f"{row.n:,}<br><small>{row.missing:,} without</small>"),
        tables.link("longest" if is_hop else "slowest", href),
    ]


@st.fragment
def _trend(page: Page) -> None:
    draw.heading("Over time")
    metrics = [*REQUEST_METRICS, *(hop.value for hop in MEASURED_HOPS)]
    chosen = address.choose("metric", "Metric", metrics, words.metric)
    series = page.answers.series(page.filter, chosen)
    if not any(point.n for point in series.points):
        st.info(f"No request with a time stamp has {words.metric(chosen)}.")
        return
    draw.chart(trend_figure(series), key="hops-trend", alt="Percentiles over time")
    explain.behind("Percentiles over time", explain.series_lines(series), key="hops-trend")


@st.fragment
def _by_dimension(page: Page, q: float) -> None:
    name = words.percentile(q)
    draw.heading(f"By segment: which hop makes each segment's {name}")
    dimension = address.pick(
        "by", "Split by", _recorded(page), "workload", lambda d: filters.NAMES[d], titled=False
    )
    heat = page.answers.heat_map(page.filter, dimension, q)
    if heat.values:
        draw.chart(heat_figure(heat), key="hops-heat", alt=f"Hop times at the {name} of each segment")
        more = len(heat.values) - MAX_ROWS
        st.caption(
            f"Each row adds to that segment's own {name}; rows do not add to each other."
            + (f" Showing {MAX_ROWS} of {len(heat.values)} segments." if more > 0 else "")
        )
    table = page.answers.segments(page.filter, dimension, q)
    columns = (Column("Segment"), Column(f"End to end {name}", "r"), *overview.COLUMNS[2:])
    tables.show(
        columns, [_segment(row, table, page) for row in by_value(table)[:TABLE_LIMIT]], key="segment-table"
    )
    if len(table.rows) > TABLE_LIMIT:
        st.caption(f"Showing {TABLE_LIMIT} of {len(table.rows):,} segments.")
    if dimension == "prompt":
        prompt_versions.render(page, q)


def _recorded(page: Page) -> list[str]:
    """Dimensions that some request carries, and those the address or the default asks for."""
    values = page.answers.dimension_values()
    asked = (address.read("by"), "workload")
    return [d for d in DIMENSIONS if d in asked or any(label is not None for label, _ in values.get(d, []))]


def by_value(table: SegmentTable) -> list[SegmentRow]:
    """All segments, the highest percentile first; those without one last."""
    return sorted(table.rows, key=lambda row: -(row.estimate.value_ms or -1.0))


def _segment(row: SegmentRow, table: SegmentTable, page: Page) -> list[Cell | str]:
    return overview.segment_cells(row, table, page.filter)
