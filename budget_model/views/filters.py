"""The filter bar: the same on every page, always in the address.

Each dimension opens a list of its values with their counts. A value in the address that the data
does not have stays chosen and is said to match nothing, rather than silently dropped.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from budget_model.queries.filters import EVERYTHING, Filter
from budget_model.views import address, text
from budget_model.views import format as words
from budget_model.views.session import Answers

FIRST = ("workload", "tenant", "region", "bucket", "model")
"""Dimensions with a place of their own in the bar; the others are behind "More"."""

MORE = ("prompt", "hardware", "environment", "load_test", "stage")

NAMES = {
    "workload": "Workload",
    "tenant": "Tenant",
    "region": "Region",
    "bucket": "Prompt length",
    "model": "Model",
    "prompt": "Prompt",
    "hardware": "Hardware",
    "environment": "Environment",
    "load_test": "Load test",
    "stage": "Load stage",
}
"""How dimensions are written for people."""

MINUTE_US, HOUR_US, DAY_US = 60_000_000, 3_600_000_000, 86_400_000_000
SPANS = {"Last hour": HOUR_US, "Last 24 hours": DAY_US, "Last 7 days": 7 * DAY_US}
"""Time ranges counted back from the newest request, so that a copied link stays the same."""


def bar(answers: Answers, f: Filter) -> Filter:
    """Draw the bar for ``f`` and return the filter that the page is to use."""
    values = answers.dimension_values()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="filter-bar"):
        _time(answers, f)
        for dimension in FIRST:
            with st.popover(_title(dimension, getattr(f, dimension)), key=f"open-{dimension}"):
                _values(dimension, f, values)
        hidden = sum(1 for dimension in MORE if getattr(f, dimension))
        with st.popover(f"More ({hidden})" if hidden else "More", key="open-more"):
            for dimension in MORE:
                _values(dimension, f, values)
        if f != EVERYTHING:
            st.button(
                "Clear",
                key="clear-filter",
                type="tertiary",
                icon=":material/close:",
                on_click=address.write_filter,
                args=(EVERYTHING,),
            )
    _say_unmatched(f, values)
    return f


def _title(dimension: str, chosen: tuple[str | None, ...]) -> str:
    name = NAMES[dimension]
    if not chosen:
        return f"{name}: all"
    rest = f" +{len(chosen) - 1}" if len(chosen) > 1 else ""
    return f"**{name}: {text.markdown(chosen[0], 18)}{rest}**"


def _values(dimension: str, f: Filter, values: dict[str, list[tuple[str | None, int]]]) -> None:
    chosen: tuple[str | None, ...] = getattr(f, dimension)
    counts = {to_option(value): n for value, n in values.get(dimension, [])}
    options = [*counts, *(to_option(value) for value in chosen if to_option(value) not in counts)]
    key = f"filter-{dimension}"
    st.session_state[key] = [to_option(value) for value in chosen]
    st.multiselect(
        NAMES[dimension],
        options,
        key=key,
        format_func=lambda option: (
            f"{text.plain(from_option(option), 44)}  ({words.count(counts.get(option, 0))})"
        ),
        placeholder="all" if options else "none recorded",
        disabled=not options,
        select_all=False,
        on_change=_values_changed,
        args=(dimension,),
    )


def _values_changed(dimension: str) -> None:
    chosen = tuple(from_option(option) for option in st.session_state[f"filter-{dimension}"])
    address.write_filter(address.current_filter()[0].with_values(dimension, chosen))


def to_option(value: str | None) -> str:
    """A dimension's value as a widget option: options must be texts, and None is a value too."""
    return "none" if value is None else f"={value}"


def from_option(option: str) -> str | None:
    """The value behind a widget option."""
    return None if option == "none" else option[1:]


def _time(answers: Answers, f: Filter) -> None:
    with st.popover(time_title(f), key="open-time", icon=":material/schedule:"):
        newest = answers.time_range(EVERYTHING)
        st.caption("Times are UTC. Ranges count back from the newest request.")
        with st.container(horizontal=True, gap="small"):
            for name, width in SPANS.items():
                st.button(
                    name,
                    key=f"span-{width}",
                    disabled=newest is None,
                    on_click=partial(_set_times, _back_from(newest[1], width) if newest else None, None),
                )
            st.button("All time", key="span-all", on_click=partial(_set_times, None, None))
        for edge, label in (("since", "From"), ("until", "Until (not included)")):
            _edge(edge, label, getattr(f, f"{edge}_us"))


def _back_from(newest_us: int, width_us: int) -> int:
    """The start of the range that ends with the newest request, on a whole minute."""
    return (newest_us - width_us) // MINUTE_US * MINUTE_US


def _edge(edge: str, label: str, at_us: int | None) -> None:
    key = f"filter-{edge}"
    st.session_state[key] = (
        None if at_us is None else datetime.fromtimestamp(at_us / 1e6, UTC).replace(tzinfo=None)
    )
    st.datetime_input(label, value=None, key=key, format="YYYY-MM-DD", step=60, on_change=_times_changed)


def _times_changed() -> None:
    _set_times(*(_as_us(st.session_state.get(f"filter-{edge}")) for edge in ("since", "until")))


def _as_us(at: datetime | None) -> int | None:
    return None if at is None else int(at.replace(tzinfo=UTC).timestamp() * 1e6)


def _set_times(since_us: int | None, until_us: int | None) -> None:
    address.write_filter(replace(address.current_filter()[0], since_us=since_us, until_us=until_us))


def time_title(f: Filter) -> str:
    """The time range in words."""
    if f.since_us is None and f.until_us is None:
        return "All time"
    since = "start" if f.since_us is None else words.minute(f.since_us)
    until = "newest" if f.until_us is None else words.minute(f.until_us)
    return f"**{since} – {until}**"


def _say_unmatched(f: Filter, values: dict[str, list[tuple[str | None, int]]]) -> None:
    for dimension in (*FIRST, *MORE):
        known = {value for value, _ in values.get(dimension, [])}
        for value in getattr(f, dimension):
            if value not in known:
                st.caption(f"No request has {NAMES[dimension].lower()} “{text.markdown(value)}”.")


def in_words(f: Filter) -> str:
    """The filter as one line of Markdown, for explanations."""
    parts = [
        f"{NAMES[d].lower()} {' or '.join(text.markdown(v) for v in getattr(f, d))}"
        for d in (*FIRST, *MORE)
        if getattr(f, d)
    ]
    if f.since_us is not None or f.until_us is not None:
        parts.append(time_title(f).strip("*"))
    return ", ".join(parts) or "all production traffic"
