"""The frame of every page: navigation, the notice of new data, the filter bar, the empty state.

A page calls ``begin`` first. Nothing else draws navigation, so a deep link is framed even when it
is the first request a fresh server gets.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from budget_model.queries.filters import Filter
from budget_model.services.workspace import Workspace
from budget_model.views import address, filters, style, text, welcome
from budget_model.views.session import Answers, workspace

CARRIED: dict[str, tuple[str, ...]] = {"Hops": ("q",), "Traces": ("q",)}
"""Choices that mean the same on every page named here, and so go along from one to the other."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a page needs: the services, the remembered figures and the filter in its address."""

    title: str
    workspace: Workspace
    answers: Answers
    filter: Filter


def begin(title: str, *, needs_data: bool = True) -> Page:
    """Draw the frame; on a home without data a page that needs some ends in the welcome."""
    st.set_page_config(page_title=f"{title} · Tailbudget", page_icon=style.ICON, layout="wide")
    st.html(style.stylesheet())
    f, complaints = address.current_filter()
    _navigation(title, f)
    for complaint in complaints:
        st.warning(f"The address holds a filter that cannot be used. {text.markdown(complaint, 300)}")
    answers = Answers()
    _new_data_notice()
    if needs_data and not answers.has_data():
        welcome.render()
        st.stop()
    if answers.has_data():
        f = filters.bar(answers, f)
    return Page(title, workspace(), answers, f)


def _navigation(title: str, f: Filter) -> None:
    mine = address.kept(*CARRIED.get(title, ()))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="navigation"):
        st.html('<div class="tb-brand"><span>▮▮▯</span> Tailbudget</div>', width="content")
        for name, file in address.PAGES.items():
            with st.container(key=f"nav-{name.lower()}{'-here' if name == title else ''}", width="content"):
                carried = mine if name in CARRIED else {}
                st.page_link(file, label=name, query_params=address.query(f, **carried))


@st.fragment(run_every="5s")
def _new_data_notice() -> None:
    figures = workspace().figures
    if figures.newest_generation() <= figures.generation():
        return
    with st.container(horizontal=True, vertical_alignment="center", key="new-data"):
        st.info("New data has been imported.", icon=":material/database:")
        if st.button("Show it", key="show-new-data", type="primary"):
            figures.refresh()
            st.rerun(scope="app")
