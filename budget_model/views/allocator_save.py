"""Save the answer as a draft. Who saved in between is told of, and nothing typed is lost."""

from __future__ import annotations

import streamlit as st

from budget_model.errors import BudgetConflictError, TailbudgetError
from budget_model.services import clock
from budget_model.services.allocating import Proposal
from budget_model.services.budgets import By
from budget_model.views import address, draw, text
from budget_model.views.asked import Asked
from budget_model.views.frame import Page

_OPENED = "budget-versions-opened"
_SAID = "budget-saved"
_CONFLICT = "budget-conflict"
_ON_TOP = "budget-save-on-top"


def render(page: Page, question: Asked, proposal: Proposal) -> None:
    """Draw the form; without a budget to save it says so."""
    draw.heading("Save as a draft")
    if not proposal.feasible:
        st.caption("There is no budget to save: the target cannot be met as asked.")
        return
    _prefill()
    with st.container(key="save-draft"):
        name, who = st.columns(2)
        name.text_input("Budget name", key="save-name", max_chars=100, placeholder="chat-p99")
        who.text_input("Your name", key="save-who", max_chars=100)
        st.text_input("Why", key="save-why", max_chars=300, placeholder="what it is for")
        if st.button("Save as draft", key="save-button", type="primary"):
            _save(page, question, proposal, _opened(st.session_state["save-name"].strip()))
    if _ON_TOP in st.session_state:
        _save(page, question, proposal, st.session_state.pop(_ON_TOP))
    _outcome(page)


def _prefill() -> None:
    """A proposal opened from a saved budget is saved on top of it."""
    name, version = address.read("budget"), address.whole_number("version")
    if name and "save-name" not in st.session_state:
        st.session_state["save-name"] = name
    if name and version is not None:
        st.session_state.setdefault(_OPENED, {}).setdefault(name, version)


def _opened(name: str) -> int:
    versions: dict[str, int] = st.session_state.get(_OPENED, {})
    return versions.get(name, 0)


def _save(page: Page, question: Asked, proposal: Proposal, opened: int) -> None:
    name = st.session_state["save-name"].strip()
    st.session_state.pop(_SAID, None)
    st.session_state.pop(_CONFLICT, None)
    try:
        by = By(st.session_state["save-who"].strip(), clock.now_us(), st.session_state["save-why"].strip())
        saved = page.workspace.budgets.save(name, page.filter, proposal, question.strategy, by, opened)
    except BudgetConflictError as clash:
        st.session_state[_CONFLICT] = str(clash)
    except TailbudgetError as refusal:
        st.error(text.markdown(str(refusal), 400))
    else:
        st.session_state.setdefault(_OPENED, {})[name] = saved.version
        st.session_state[_SAID] = (name, saved.version)


def _outcome(page: Page) -> None:
    if _CONFLICT in st.session_state:
        _conflict(page)
    if _SAID in st.session_state:
        name, version = st.session_state[_SAID]
        st.success(f"Saved as version {version} of {text.markdown(name, 100)}, a draft.")
        st.page_link(
            address.PAGES["Budgets"],
            label="Open it to propose it",
            icon=":material/arrow_forward:",
            query_params={"budget": name, "version": str(version)},
        )


def _conflict(page: Page) -> None:
    name = st.session_state["save-name"].strip()
    st.warning(f"Not saved. {text.markdown(st.session_state[_CONFLICT], 400)}", icon=":material/group:")
    if name not in page.workspace.budgets.names():
        return
    newest = page.workspace.budgets.versions(name, clock.now_us())[0].budget.version
    with st.container(horizontal=True):
        st.page_link(
            address.PAGES["Budgets"],
            label=f"See version {newest}",
            query_params={"budget": name, "version": str(newest)},
        )
        st.button(
            f"Save mine on top, as version {newest + 1}",
            key="save-on-top",
            on_click=lambda: st.session_state.update({_ON_TOP: newest}),
        )
