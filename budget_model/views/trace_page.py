"""One request in full: its figures, its timeline with the critical path, its hops, flags, attributes."""

from __future__ import annotations

import html
import json
from typing import Any

import streamlit as st

from budget_model.domain.hops import HOPS
from budget_model.errors import NoDataError
from budget_model.queries.results import RequestRow
from budget_model.records.trace_view import HopTime, SpanRow, TraceView
from budget_model.services.mlflow_links import page_of
from budget_model.services.mlflow_sources import deleted_us
from budget_model.views import address, cards, draw, flags, tables, text, trace_rows
from budget_model.views import format as words
from budget_model.views.cards import Card
from budget_model.views.charts.timeline import MAX_ROWS, drawn_rows, timeline_figure
from budget_model.views.filters import NAMES
from budget_model.views.frame import Page
from budget_model.views.tables import Cell, Column
from budget_model.views.trace_list import CHOICES

ATTRIBUTES_SHOWN = 200
TALL_PX = 900
"""A longer timeline scrolls in a box of this height."""


def render(page: Page, request_id: str) -> None:
    """Draw the page of one request."""
    row = page.answers.request(page.filter, request_id)
    if row is None:
        st.warning(f"There is no request {text.markdown(request_id, 80)} in the data.")
        st.html(tables.anchor("All requests", address.href("Traces", page.filter), css="tb-link"))
        return
    _head(page, row)
    view = _view(page, request_id)
    if view is None:
        _without_spans(row)
        return
    if (outside := page_of(view)) is not None:
        st.html(tables.outward("Open in MLflow", outside))
    _timeline(view, row)
    _flags(row, view)
    left, right = draw.halves("trace")
    with left:
        _hops(view, row)
    with right:
        _attributes(view, row)


def _view(page: Page, request_id: str) -> TraceView | None:
    try:
        return page.answers.trace(request_id)
    except NoDataError:
        return None


def _head(page: Page, row: RequestRow) -> None:
    slower, faster = page.answers.neighbours(page.filter, row.request_id)
    kept = address.kept(*CHOICES)
    links = [tables.anchor("All requests", address.href("Traces", page.filter, **kept), css="tb-link")]
    for name, other in (("Next slower", slower), ("Next faster", faster)):
        if other is None:
            links.append(f'<span class="tb-note">{name}: none</span>')
        else:
            href = address.href("Traces", page.filter, request=other.request_id, **kept)
            label = f"{name} ({words.duration(other.e2e_ms)})"
            links.append(tables.anchor(label, href, css="tb-link"))
    with st.container(key="trace-links"):
        st.html(" &nbsp;·&nbsp; ".join(links))
    with st.container(key="trace-head"):
        st.html(
            f'<h3 class="tb-h">Request <code>{text.markup(row.request_id, 80)}</code></h3>'
            f'<div class="tb-sub">{words.moment(row.start_us)} UTC · {html.escape(row.outcome)} · '
            f"{_segment(row)}</div>"
        )
    gone_us = deleted_us(page.workspace.ledger, row.trace_id)
    if gone_us is not None:
        st.info(
            f"Deleted in MLflow, noticed {words.moment(gone_us)} UTC. It stays in the figures.",
            icon=":material/delete:",
        )
    cards.show(_cards(page, row), key="trace-cards")


def _segment(row: RequestRow) -> str:
    known = [(NAMES[name], value) for name, value in row.segment.items() if value is not None]
    return " · ".join(f"{name.lower()} <b>{text.markup(value, 40)}</b>" for name, value in known)


def _cards(page: Page, row: RequestRow) -> list[Card]:
    total = page.answers.counts(page.filter).ok
    rank = (
        f"rank {row.rank:,} of {total:,}, 1 is the slowest" if row.rank is not None else "not ranked: not ok"
    )
    return [
        Card("End to end", words.duration(row.e2e_ms), rank),
        Card("First token", words.duration(row.ttft_ms)),
        _largest_hop(row),
        Card("Prompt tokens", words.count(row.prompt_tokens)),
        Card("Output tokens", words.count(row.output_tokens)),
        Card("Attempts", words.count(row.attempts)),
    ]


def _largest_hop(row: RequestRow) -> Card:
    ms, place = max((ms or 0.0, i) for i, ms in enumerate(row.path_ms))
    if not ms:
        return Card("Largest hop", words.NOT_RECORDED)
    return Card("Largest hop", HOPS[place], f"{words.duration(ms)}, {_part(ms, row)}")


def _part(ms: float | None, row: RequestRow) -> str:
    return "–" if ms is None else words.share(words.ratio(ms, row.e2e_ms or 0.0))


def _without_spans(row: RequestRow) -> None:
    draw.heading("Where the time went")
    st.caption("This request came as one row of a log, so there are no spans to draw: only its hop times.")
    columns = (Column("Hop"), Column("Path time", "r"), Column("Share", "r"))
    cells: list[list[Cell | str]] = [
        [tables.hop_name(hop), words.duration(ms), _part(ms, row)]
        for hop, ms in zip(HOPS, row.path_ms, strict=True)
        if ms is not None
    ]
    tables.show(columns, cells, key="trace-hops")
    _flags(row, None)


def _timeline(view: TraceView, row: RequestRow) -> None:
    draw.heading("Timeline and critical path")
    rows = trace_rows.timeline_rows(view, row.request_id)
    shown = drawn_rows(rows)
    figure = timeline_figure(shown, row.e2e_ms or view.extent_ms)
    with st.container(height=TALL_PX if figure.layout.height > TALL_PX else "content", border=False):
        draw.chart(figure, key="timeline", alt="Spans of the request over time, the critical path marked")
    if view.requests and view.requests[0].source_kind == "row":
        st.caption("This request came as one row of a log: its hop times are laid one after another.")
        return
    said = f"showing {len(shown):,} of {len(rows):,} spans: those on the critical path, then the longest. "
    times = (
        "shifted to fit their parents, as asked for in the settings" if view.skew_corrected else "as recorded"
    )
    st.caption(
        (said if len(rows) > MAX_ROWS else f"{words.plural(len(rows), 'span')}. ")
        + f"Times are {times}. Full colour: what the request waited for, which adds to end to end."
    )


def _flags(row: RequestRow, view: TraceView | None) -> None:
    said = flags.sentences(row.flags)
    counted = []
    if view is not None:
        for n, name in (
            (view.orphans, "orphan span"),
            (view.duplicates, "repeat"),
            (view.conflicts, "conflict"),
        ):
            counted += [f"{words.plural(n, name)}"] if n else []
    if not said and not counted:
        return
    draw.heading("Remarkable")
    items = "".join(f"<dt>{html.escape(a)}</dt><dd>{html.escape(b)}</dd>" for a, b in said)
    with st.container(key="trace-flags"):
        st.html(f'<dl class="tb-kv">{items}</dl>')
        if counted:
            st.caption(f"In this trace: {', '.join(counted)}.")


HOP_COLUMNS = (
    Column("Hop"),
    Column("Path", "r", "its share of end to end: these add up"),
    Column("Wall", "r", "time in which at least one of its spans ran"),
    Column("Busy", "r", "its spans added up: parallel work counts twice"),
    Column("Spans", "r"),
)


def _hops(view: TraceView, row: RequestRow) -> None:
    draw.heading("Hops of this request")
    st.caption("Path adds to end to end. Wall counts parallel spans once, busy counts each.")
    found = trace_rows.hops_of(view, row.request_id)
    cells = [_hop_cells(hop, row) for hop in found]
    known = [hop.path_ms for hop in found if hop.path_ms is not None]
    total = sum(known) if known else None
    cells.append([Cell("<b>end to end</b>"), Cell(f"<b>{words.duration(total)}</b>"), "", "", ""])
    tables.show(HOP_COLUMNS, cells, key="trace-hops")


def _hop_cells(hop: HopTime, row: RequestRow) -> list[Cell | str]:
    part = _part(hop.path_ms, row)
    aside = f"<br><small>{hop.set_aside:,} set aside</small>" if hop.set_aside else ""
    path = words.duration(hop.path_ms) if hop.path_ms is not None else "–"
    return [
        tables.hop_name(hop.hop),
        Cell(f"{path}<br><small>{part}</small>"),
        words.duration(hop.wall_ms) if hop.wall_ms is not None else "–",
        words.duration(hop.busy_ms) if hop.busy_ms is not None else "–",
        Cell(f"{hop.spans:,}{aside}"),
    ]


@st.fragment
def _attributes(view: TraceView, row: RequestRow) -> None:
    draw.heading("One span")
    spans = trace_rows.spans_of(view, row.request_id)
    if not spans:
        return
    chosen = st.selectbox(
        "Span",
        range(len(spans)),
        key="trace-span",
        label_visibility="collapsed",
        format_func=lambda i: f"{text.plain(spans[i].name, 50)} · {words.duration(spans[i].duration_ms)}",
    )
    span = spans[chosen]
    with st.container(key="span-detail"):
        st.html(_list(_facts(span, view)))
        for title, values in (("Attributes", span.attributes), ("Resource", span.resource)):
            if values:
                with st.expander(f"{title} ({len(values):,})", expanded=title == "Attributes"):
                    st.html(_list([(name, _shown(value)) for name, value in sorted(values.items())]))
        if span.events:
            with st.expander(f"Events ({len(span.events):,})"):
                st.html(_list([(name, words.duration(at)) for name, at, _ in span.events]))


def _facts(span: SpanRow, view: TraceView) -> list[tuple[str, str]]:
    hop = f"{span.hop_before} until the first token, then {span.hop}" if span.hop_before else span.hop
    own = words.duration(span.self_ms) + (" at most" if span.self_is_upper_bound else "")
    facts = [
        ("hop", f"{hop} ({span.rule})" if span.rule else hop),
        ("start", f"{words.duration(span.start_ms)} after the request's start"),
        ("duration", words.duration(span.duration_ms)),
        ("self time", own),
        ("service", span.service or "–"),
        ("host", span.host or "–"),
        ("kind, status", f"{span.kind}, {span.status}"),
        ("span id", span.span_id),
    ]
    if view.skew_corrected:
        facts.append(("recorded start", f"{span.raw_start_ns} ns since 1970 UTC"))
    return [*facts, *(("note", note) for note in trace_rows.notes(span))]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _list(pairs: list[tuple[str, str]]) -> str:
    items = "".join(
        f"<dt>{text.markup(name, 80)}</dt><dd>{text.markup(value, 2000)}</dd>"
        for name, value in pairs[:ATTRIBUTES_SHOWN]
    )
    more = len(pairs) - ATTRIBUTES_SHOWN
    rest = f'<div class="tb-note">{more:,} more not shown</div>' if more > 0 else ""
    return f'<dl class="tb-kv">{items}</dl>{rest}'
