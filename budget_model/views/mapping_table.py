"""Which span name went to which hop: change a row, and the facts are made again from the stored spans."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from budget_model.services.mapping import (
    HOP_CHOICES,
    SpanNameRow,
    facts_are_stale,
    set_rule,
    span_names,
    undo_last,
)
from budget_model.services.rebuild import RebuildReport, rebuild
from budget_model.views import draw, jobs, text
from budget_model.views import format as words
from budget_model.views.jobs import Job
from budget_model.views.session import workspace

UNMAPPED = "not mapped"
"""How a name that no rule matches is shown; choosing it takes the user's own rule back."""

EDITOR = "mapping-editor"


def render(generation: int) -> None:
    """Draw the section; nothing when no spans were imported."""
    rows = _names(generation, workspace().settings.rules_file)
    if not rows:
        return
    draw.heading("Span names and their hops")
    unmapped = sum(1 for row in rows if row.hop is None)
    st.caption(
        f"{words.plural(len(rows), 'span name')}, {unmapped:,} not mapped and on top: their time goes where "
        "their parent's goes. Change a hop, then rebuild; nothing is imported again. Shares are busy time "
        "over the end-to-end time of all requests, so nested spans count each."
    )
    if facts_are_stale(workspace().settings) and not jobs.is_running():
        st.warning("The hop rules changed since the facts were made.", icon=":material/rule:")
        st.button("Rebuild now", key="mapping-rebuild", on_click=start_rebuild)
    _editor(rows)


@st.cache_data(max_entries=4, show_spinner="Counting span names …")
def _counted(generation: int, rules: str) -> list[SpanNameRow]:
    del generation, rules  # the key: other data or other rules give another answer
    return span_names(workspace().settings)


def _names(generation: int, rules_file: Path) -> list[SpanNameRow]:
    return _counted(generation, rules_file.read_text("utf-8") if rules_file.exists() else "")


def table(rows: list[SpanNameRow]) -> pd.DataFrame:
    """The rows as an editable table; texts stay plain."""
    return pd.DataFrame(
        {
            "Span name": [text.plain(row.name, 120) for row in rows],
            "Service": [text.plain(row.service, 60) if row.service else "" for row in rows],
            "Spans": [row.count for row in rows],
            "Share of e2e": [None if row.share_of_e2e is None else 100 * row.share_of_e2e for row in rows],
            "Hop": [row.hop or UNMAPPED for row in rows],
            "Rule": [text.plain(row.rule, 120) if row.rule else "" for row in rows],
        }
    )


@st.fragment
def _editor(rows: list[SpanNameRow]) -> None:
    shown = table(rows)
    with st.container(key="mapping"):
        st.data_editor(
            shown,
            key=EDITOR,
            hide_index=True,
            height=min(36 * (len(rows) + 1) + 4, 460),
            disabled=[name for name in shown.columns if name != "Hop"],
            column_config={
                "Hop": st.column_config.SelectboxColumn(options=[UNMAPPED, *HOP_CHOICES], required=True),
                "Share of e2e": st.column_config.NumberColumn(format="%.1f %%"),
                "Spans": st.column_config.NumberColumn(format="localized"),
            },
        )
    edits = pending(rows, st.session_state.get(EDITOR, {}))
    with st.container(horizontal=True, key="mapping-actions"):
        label = f"Rebuild with {words.plural(len(edits), 'change')}" if edits else "Rebuild with changes"
        if st.button(label, key="mapping-apply", type="primary", disabled=not edits or jobs.is_running()):
            for row, hop in edits:
                set_rule(workspace().settings, row.name, hop, row.service)
            start_rebuild()
            st.rerun(scope="app")
        if st.button("Undo the last change", key="mapping-undo", disabled=jobs.is_running()):
            if undo_last(workspace().settings):
                start_rebuild()
                st.rerun(scope="app")
            st.caption("There is no change to undo.")


def pending(rows: list[SpanNameRow], state: Any) -> list[tuple[SpanNameRow, str | None]]:
    """What the editor's state asks for: rows with another hop, None for "not mapped"."""
    edited: dict[int, dict[str, str]] = dict(state.get("edited_rows", {}))
    asked = [(rows[int(i)], change["Hop"]) for i, change in edited.items() if "Hop" in change]
    return [
        (row, None if hop == UNMAPPED else hop) for row, hop in asked if hop and hop != (row.hop or UNMAPPED)
    ]


def start_rebuild() -> None:
    """Make the facts again in the background."""
    settings = workspace().settings

    def work(job: Job) -> RebuildReport:
        return rebuild(settings, on_progress=job.follow, cancel=job.cancel)

    jobs.jobs().start("Making the facts again", work)
