"""The list of requests: slowest, nearest to a percentile, latest; by outcome, flag and hop."""

from __future__ import annotations

import html

import streamlit as st

from budget_model.domain.hops import HOPS
from budget_model.queries.results import RequestPage, RequestRow
from budget_model.views import address, flags, tables, text
from budget_model.views import format as words
from budget_model.views.frame import Page
from budget_model.views.tables import Cell, Column

PAGE_ROWS = 25
SHOWN = ("workload", "tenant", "region", "model")
VIEWS = {
    "slowest": "Slowest",
    "nearest": "At a percentile",
    "longest": "Longest in a hop",
    "latest": "Latest",
    "failed": "Failed",
    "flagged": "Flagged",
}
"""The lists on offer."""

CHOICES = ("order", "q", "hop", "offset")
"""What of the address says which list is shown."""

COLUMNS = (
    Column("Rank", "r", "1 is the slowest ok request under the filter"),
    Column("Request, start (UTC)"),
    Column("End to end", "r", "with the time to the first token"),
    Column(
        "Where the time went",
        meaning="path times in the order of the hops; the longest bar is the slowest request",
    ),
    Column("Segment"),
    Column("Tokens", "r", "in the prompt, and in the answer"),
    Column("Outcome, flags"),
)


def render(page: Page) -> None:
    """Draw the list."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="trace-controls"):
        view = address.pick("order", "List", list(VIEWS), "slowest", lambda v: VIEWS[v])
        q = _quantile() if view == "nearest" else None
        hop = _hop(view) if view in ("slowest", "longest") else ""
    offset = address.whole_number(address.OFFSET) or 0
    found = page.answers.requests(page.filter, **choices(view, q, hop), offset=offset, limit=PAGE_ROWS)
    if not found.rows:
        st.info("No request matches.", icon=":material/filter_alt_off:")
        return
    st.caption(in_words(view, q, hop, found, offset))
    st.html(tables.hop_legend())
    longest = max((row.e2e_ms or 0.0 for row in found.rows), default=0.0)
    tables.show(COLUMNS, [_row(row, page, longest) for row in found.rows], key="trace-table")
    _pager(found, offset)


def choices(view: str, q: float | None, hop: str) -> dict[str, object]:
    """What to ask of the figures service for a list."""
    if view == "failed":
        return {"order": "latest", "outcome": "failed"}
    if view == "flagged":
        return {"order": "latest", "flagged": True}
    if view == "longest":
        return {"order": "longest", "hop": hop}
    asked: dict[str, object] = {"order": view}
    if q is not None:
        asked["q"] = q
    if hop:
        asked["hop"] = hop
    return asked


def _quantile() -> float:
    return float(
        address.pick(
            "q", "Percentile", ("0.5", "0.75", "0.9", "0.95", "0.99", "0.999"), "0.99", _percentile_of
        )
    )


def _percentile_of(option: str) -> str:
    return words.percentile(float(option))


def _hop(view: str) -> str:
    options = ["", *HOPS] if view == "slowest" else [*HOPS]
    label = "Only where this hop is the largest" if view == "slowest" else "Hop"
    return address.choose("hop", label, options, lambda hop: hop or "any hop")


def in_words(view: str, q: float | None, hop: str, found: RequestPage, offset: int) -> str:
    """What the list holds, as one line."""
    what = {
        "slowest": "slowest first",
        "longest": f"longest {hop} first",
        "nearest": f"nearest in rank to the {words.percentile(q or 0.99)}",
        "latest": "latest first",
        "failed": "failed, latest first: in no latency figure",
        "flagged": "with a flag, latest first",
    }[view]
    only = f", only those where {hop} takes the largest part" if hop and view == "slowest" else ""
    shown = f"{offset + 1:,} to {offset + len(found.rows):,}"
    return f"{shown} of {words.plural(found.total, 'request')}, {what}{only}."


def _row(row: RequestRow, page: Page, longest: float) -> list[Cell | str]:
    href = address.href("Traces", page.filter, request=row.request_id, **address.kept(*CHOICES))
    return [
        words.count(row.rank) if row.rank is not None else "–",
        Cell(
            f'<span class="nw">{tables.anchor(row.request_id, href, 20)}<br>'
            f"<small>{words.moment(row.start_us)}</small></span>"
        ),
        Cell(f"{words.duration(row.e2e_ms)}<br><small>first token {_first_token(row)}</small>"),
        tables.path_bar(row.path_ms, longest),
        Cell(f'<div class="tb-segment">{segment_markup(row)}</div>'),
        Cell(f"{words.count(row.prompt_tokens)} in<br><small>{words.count(row.output_tokens)} out</small>"),
        Cell(_outcome(row)),
    ]


def _first_token(row: RequestRow) -> str:
    return "–" if row.ttft_ms is None else words.duration(row.ttft_ms)


def segment_markup(row: RequestRow) -> str:
    """Safe markup of the dimensions that are recorded."""
    return " · ".join(text.markup(row.segment[d], 20) for d in SHOWN if row.segment.get(d) is not None)


def _outcome(row: RequestRow) -> str:
    said = "".join(f"<br><small>{html.escape(name)}</small>" for name in flags.names(row.flags))
    tries = f"<br><small>{row.attempts:,} attempts</small>" if row.attempts > 1 else ""
    return html.escape(row.outcome) + tries + said


def _pager(found: RequestPage, offset: int) -> None:
    with st.container(horizontal=True, key="trace-pager"):
        for label, at, off in (
            ("Previous", offset - PAGE_ROWS, offset == 0),
            ("Next", offset + PAGE_ROWS, offset + PAGE_ROWS >= found.total),
        ):
            st.button(
                label,
                key=f"pager-{label}",
                disabled=off,
                on_click=address.write,
                args=("offset", str(max(at, 0)), "0"),
            )
