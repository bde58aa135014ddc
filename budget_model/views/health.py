"""Instrumentation and clocks: how many requests have each hop, and what was remarkable about records."""

from __future__ import annotations

import streamlit as st

from budget_model.domain.hops import HOP_CLASS, HOP_MEANING, MEASURED_HOPS
from budget_model.queries.results import Counts
from budget_model.records.facts import Flag
from budget_model.views import address, draw, flags, tables
from budget_model.views import format as words
from budget_model.views.frame import Page
from budget_model.views.tables import Cell, Column


def render(page: Page) -> None:
    """Draw the section for the requests under the filter."""
    counts = page.answers.counts(page.filter)
    left, right = draw.halves("health")
    with left:
        _coverage(page)
    with right:
        _clocks(counts, page)


def _coverage(page: Page) -> None:
    draw.heading("Instrumentation")
    st.caption("How many ok requests have each hop. A hop nobody recorded is unknown, not zero.")
    rows = page.answers.percentiles(page.filter, tuple(hop.value for hop in MEASURED_HOPS), (0.5,))
    columns = (Column("Hop"), Column("What it holds"), Column("Recorded in", "r"))
    cells: list[list[Cell | str]] = []
    for hop, row in zip(MEASURED_HOPS, rows, strict=True):
        part = words.ratio(row.n, row.n + row.missing)
        recorded = f"{words.share(part)}<br><small>{row.n:,} of {row.n + row.missing:,}</small>"
        name = f"{tables.hop_markup(hop)}<br><small>{HOP_CLASS[hop]}</small>"
        cells.append([Cell(name), HOP_MEANING[hop], Cell(recorded if row.n else "never")])
    tables.show(columns, cells, key="coverage")


def _clocks(counts: Counts, page: Page) -> None:
    draw.heading("Clocks and records")
    st.caption("Requests whose records are remarkable. Flags change no figure.")
    found = [(Flag[name.upper()], n) for name, n in counts.flagged.items()]
    if not found:
        st.caption("Nothing remarkable.")
        return
    columns = (Column("What"), Column("Means"), Column("Requests", "r"))
    ranked = sorted(found, key=lambda one: -one[1])
    cells: list[list[Cell | str]] = [[*flags.MEANINGS[flag], words.count(n)] for flag, n in ranked]
    tables.show(columns, cells, key="flags")
    st.html(
        tables.anchor(
            "The flagged requests", address.href("Traces", page.filter, order="flagged"), css="tb-link"
        )
    )
