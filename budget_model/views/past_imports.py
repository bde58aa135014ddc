"""The list of imports, and what was refused of each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from budget_model.services.imports import PastImport, past_imports, rejects_page
from budget_model.views import bring_in, draw, tables, text
from budget_model.views import format as words
from budget_model.views.session import workspace
from budget_model.views.tables import Cell, Column

SHOWN = 4
"""Imports listed at first, the newest; the others are a click away."""

REJECTS_SHOWN = 50

COLUMNS = (Column("File, import (UTC)"), *bring_in.COLUMNS[2:])


def render() -> None:
    """Draw the section."""
    imports = past_imports(workspace().ledger)
    draw.heading("Imports")
    if not imports:
        st.caption("Nothing was imported yet.")
        return
    shown = imports if st.session_state.get("all-imports") else imports[:SHOWN]
    tables.show(COLUMNS, [_cells(one) for one in shown], key="imports")
    with st.container(horizontal=True, vertical_alignment="center"):
        _totals(imports)
        if len(imports) > SHOWN:
            st.toggle(f"Show all {len(imports):,}", key="all-imports")
    _warnings(imports)
    _rejects([one for one in imports if one.counts.rejected])


def _cells(one: PastImport) -> list[Cell | str]:
    c = one.counts
    numbers = (c.records, c.accepted, c.rejected, c.duplicates, c.already_known, c.requests, c.spans)
    short = text.markup(text.middle(_name(one), 46))
    name = Cell(
        f'<span class="nw" title="{text.markup(one.path, 400)}">{short}</span>'
        f"<br><small>{words.moment(one.started_us)} · {text.markup(one.format)}</small>"
    )
    return [name, *map(words.count, numbers)]


def _name(one: PastImport) -> str:
    """A file without its folder; what was synced is an address and stays whole."""
    return one.path if "://" in one.path else Path(one.path).name


def _totals(imports: Sequence[PastImport]) -> None:
    sums = [sum(getattr(one.counts, n) for one in imports) for n in ("records", "accepted", "rejected")]
    again = [sum(getattr(one.counts, n) for one in imports) for n in ("duplicates", "already_known")]
    st.caption(
        f"{words.plural(len(imports), 'import')}: {words.plural(sums[0], 'record')} read = "
        f"{sums[1]:,} accepted + {sums[2]:,} rejected + "
        f"{again[0]:,} duplicates + {again[1]:,} already known."
    )


def _warnings(imports: Sequence[PastImport]) -> None:
    noticed = [(one, warned) for one in imports for warned in one.warnings]
    if not noticed:
        return
    with st.expander(f"Noticed while reading ({len(noticed):,})"):
        columns = (Column("File"), Column("What"), Column("Times", "r"), Column("Such as"))
        rows: list[list[Cell | str]] = [
            [
                Cell(text.markup(_name(one), 40)),
                warned.code.replace("_", " "),
                words.count(warned.count),
                Cell(f'<span class="wrap">{text.markup(warned.example, 160)}</span>'),
            ]
            for one, warned in noticed[:200]
        ]
        tables.show(columns, rows, key="import-warnings")


@st.fragment
def _rejects(refused: Sequence[PastImport]) -> None:
    if not refused:
        return
    with st.expander(f"Refused records ({sum(one.counts.rejected for one in refused):,})"):
        by_id = {one.id: one for one in refused}
        chosen = st.selectbox(
            "Import",
            list(by_id),
            key="rejects-of",
            format_func=lambda i: f"{text.plain(_name(by_id[i]), 60)} ({by_id[i].counts.rejected:,})",
        )
        found = rejects_page(workspace().ledger, chosen, 0, REJECTS_SHOWN)
        bring_in.rejects(found, key="rejects")
        if by_id[chosen].counts.rejected > len(found):
            st.caption(f"Showing {len(found):,} of {by_id[chosen].counts.rejected:,}.")
