"""Coverage by service: what arrives from whom, since when, and the lines that add what is missing."""

from __future__ import annotations

import html
from collections.abc import Iterable

import streamlit as st

from budget_model.services.coverage import Arrival, Coverage, ServiceCoverage, service_coverage
from budget_model.services.coverage_gaps import Gap
from budget_model.services.making import assembler_for
from budget_model.views import draw, tables, text
from budget_model.views import format as words
from budget_model.views.session import workspace
from budget_model.views.tables import Cell, Column

SHOWN = 12
"""Services listed at first, those with the most spans; the others are a click away."""

MOST = 200
"""Services listed at all, and gaps offered; the command tells of every one."""

GAPS_SHOWN = 5
"""What is missing of a service in its row; the list below the table has the rest."""

COLUMNS = (
    Column("Service (UTC)", meaning="its spans, and when the first and the last of them began"),
    Column("Requests", "r", "requests it has a span in, load tests included"),
    Column("Hops it sends", meaning="share of its ok requests in which the hop is recorded"),
    Column("Model calls", "r", "spans of model calls, and in how many the first token is marked"),
    Column("Tags it sends"),
    Column("Missing", meaning="what no service sends for its requests, though this one could"),
)

EMPTY = (
    "No spans yet. Once traces are imported or synced, each service is listed here with the hops, tags and "
    "events it sends, and with the lines of code that add what is missing."
)

NAMES = "`tracer` is your tracer, `root` the span of the request, `call` the span of the model call."


def render(generation: int) -> None:
    """Draw the section."""
    draw.heading("Coverage by service")
    found = _counted(generation, assembler_for(workspace().settings).fingerprint)
    if not found.services:
        st.caption(EMPTY)
        return
    st.caption(
        "What each service's spans carry, over all that was imported. Shares are of the ok requests it "
        "has a span in; hover for counts. What is missing, one service needs to send."
    )
    _table(found.services[:MOST])
    _missing(found)


@st.cache_resource(max_entries=4, show_spinner="Reading what services send …")
def _counted(generation: int, rules: str) -> Coverage:
    del generation, rules  # the key: other data or other rules give another answer
    return service_coverage(workspace())


@st.fragment
def _table(services: tuple[ServiceCoverage, ...]) -> None:
    shown = services if st.session_state.get("all-services") else services[:SHOWN]
    tables.show(COLUMNS, [cells(one) for one in shown], key="service-coverage", caption="Coverage by service")
    if len(services) > SHOWN:
        st.toggle(f"Show all {len(services):,}", key="all-services")


def cells(one: ServiceCoverage) -> list[Cell | str]:
    """One service's row; its name is text from the data."""
    return [
        _service(one),
        Cell(f"{one.requests.total:,}<br><small>{one.requests.ok:,} ok</small>"),
        Cell("".join(_hop(hop) for hop in arrived(one, one.requests.hops)) or "–"),
        _calls(one),
        Cell(", ".join(_tag(tag) for tag in arrived(one, one.requests.tags)) or "–"),
        _gaps(one),
    ]


def arrived(one: ServiceCoverage, things: Iterable[Arrival]) -> list[Arrival]:
    """What the service itself sends; of a log, what it holds."""
    return [thing for thing in things if thing.spans or (one.is_log and thing.n)]


def _service(one: ServiceCoverage) -> Cell:
    spans = "figures, no spans" if one.is_log else words.plural(one.spans, "span")
    below = f'<small class="nw">{spans}</small><br><small>{_times(one)}</small>'
    return Cell(f'<span class="wrap">{text.markup(one.title)}</span><br>{below}')


def _times(one: ServiceCoverage) -> str:
    if one.first_us is None or one.last_us is None:
        return "no time"
    first, last = words.minute(one.first_us), words.minute(one.last_us)
    return f'<span class="nw">{first}</span> <span class="nw">to {last}</span>'


def _hop(hop: Arrival) -> str:
    part = words.share(words.ratio(hop.n, hop.of))
    return f'<div class="nw" title="{_counts(hop)}">{tables.hop_markup(hop.name)} <small>{part}</small></div>'


def _tag(tag: Arrival) -> str:
    name = html.escape(tag.name.replace("_", " "))
    part = "" if tag.n == tag.of else f" <small>{words.share(words.ratio(tag.n, tag.of))}</small>"
    return f'<span class="nw" title="{_counts(tag)}">{name}{part}</span>'


def _counts(thing: Arrival) -> str:
    """Where the figure comes from, for the pointer; nothing of it is from the data."""
    told = f"{thing.n:,} of {thing.of:,} ok requests"
    if thing.first_us is None or thing.last_us is None:
        return told
    since, last = words.moment(thing.first_us), words.moment(thing.last_us)
    return f"{told}; {words.plural(thing.spans, 'span')}, {since} to {last} UTC"


def _calls(one: ServiceCoverage) -> Cell:
    if not one.calls:
        return Cell("–")
    part = words.share(words.ratio(one.first_tokens, one.calls))
    ttft = f"TTFT known in {one.requests.ttft.n:,} of {one.requests.ttft.of:,} ok requests"
    return Cell(f'<span title="{ttft}">{one.calls:,}<br><small>{part} first token</small></span>')


def _gaps(one: ServiceCoverage) -> Cell:
    if one.is_log:
        return Cell("<small>a log has no spans</small>")
    if not one.gaps:
        return Cell("nothing")
    shown = [_missing_thing(gap) for gap in one.gaps[:GAPS_SHOWN]]
    if len(one.gaps) > GAPS_SHOWN:
        shown.append(f"<small>and {len(one.gaps) - GAPS_SHOWN:,} more</small>")
    return Cell("<br>".join(shown))


def _missing_thing(gap: Gap) -> str:
    part = f"<small>{words.share(gap.n / gap.of)}</small>"
    return (
        f'<span class="nw" title="{html.escape(gap.sentence)}">{html.escape(gap.kind.missing)} {part}</span>'
    )


@st.fragment
def _missing(found: Coverage) -> None:
    gaps = [(one, gap) for one in found.services for gap in one.gaps][:MOST]
    if not gaps:
        if not all(one.is_log for one in found.services):
            st.caption("Nothing that figures need is missing.")
        return
    with st.container(key="coverage-missing"):
        chosen = st.selectbox(
            f"What is missing ({len(gaps):,}), and the lines that add it",
            range(len(gaps)),
            key="coverage-gap",
            format_func=lambda place: said(*gaps[place]),
        )
        one, gap = gaps[chosen]
        st.caption(f"{text.markdown(one.title, 80)}: {gap.sentence}.")
        lines = gap.lines
        left, right = draw.halves("coverage-lines")
        for column, title, code in ((left, "OpenTelemetry", lines.otel), (right, "MLflow", lines.mlflow)):
            with column:
                draw.subheading(title)
                st.code(code, language="python")
        st.caption(NAMES)


def said(one: ServiceCoverage, gap: Gap) -> str:
    """A gap as an option; options are plain text."""
    return f"{text.plain(one.title, 40)}: no {gap.kind.missing} ({gap.counted})"
