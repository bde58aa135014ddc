"""The steps a version went through, and the form that takes it to the next."""

from __future__ import annotations

import html

import streamlit as st

from budget_model.domain.budget import NEXT_STATES, BudgetState, Step
from budget_model.errors import TailbudgetError
from budget_model.services import clock
from budget_model.services.budgets import BudgetView, By
from budget_model.views import draw, text
from budget_model.views import format as words
from budget_model.views.frame import Page

_REFUSED = "budget-step-refused"


def render(page: Page, view: BudgetView) -> None:
    """Steps, newest last, and the next ones as buttons."""
    draw.heading("Steps")
    items = "".join(step_markup(step) for step in view.budget.steps)
    with st.container(key="budget-steps"):
        st.html(f'<ol class="tb-steps">{items}</ol>')
    following = NEXT_STATES[view.budget.state]
    if not following:
        st.caption("Retired for good; save a new version to go on.")
        return
    who, why = st.columns([2, 3])
    who.text_input("Your name", key="step-who", max_chars=100)
    why.text_input("Reason", key="step-why", max_chars=300)
    with st.container(horizontal=True, key="step-buttons"):
        for state in following:
            st.button(
                button_words(view.budget.state, state),
                key=f"step-{state}",
                type="primary" if state in (BudgetState.PROPOSED, BudgetState.APPROVED) else "secondary",
                on_click=_move,
                args=(page, view, state),
            )
    if _REFUSED in st.session_state:
        st.error(text.markdown(st.session_state.pop(_REFUSED), 400))


def step_markup(step: Step) -> str:
    """One step: what, who, when, why."""
    why = f'<div class="tb-sub">{text.markup(step.why, 300)}</div>' if step.why.strip() else ""
    return (
        f"<li><b>{html.escape(step.state)}</b> by {text.markup(step.who, 100)}, "
        f"{words.moment(step.at_us)} UTC{why}</li>"
    )


def button_words(now: BudgetState, following: BudgetState) -> str:
    """What the step is called."""
    if following is BudgetState.DRAFT:
        return "Send back"
    return {
        BudgetState.PROPOSED: "Propose",
        BudgetState.APPROVED: "Approve",
        BudgetState.RETIRED: "Retire" if now is BudgetState.APPROVED else "Discard",
    }[following]


def _move(page: Page, view: BudgetView, state: BudgetState) -> None:
    try:
        by = By(st.session_state["step-who"].strip(), clock.now_us(), st.session_state["step-why"].strip())
        page.workspace.budgets.move(view.budget.name, view.budget.version, state, by)
    except TailbudgetError as refusal:
        st.session_state[_REFUSED] = str(refusal)
    else:
        st.session_state["step-why"] = ""
