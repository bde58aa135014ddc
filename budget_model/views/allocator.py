"""Allocator: a target for a percentile, and what it leaves each hop; or why it cannot be met.

The whole page below the filter is one fragment: moving a control redraws that and nothing else.
"""

from __future__ import annotations

import streamlit as st

from budget_model.domain.strategies import Strategy
from budget_model.errors import BudgetError
from budget_model.services.allocating import Proposal
from budget_model.views import (
    address,
    allocator_answer,
    allocator_compute,
    allocator_controls,
    allocator_save,
    allocator_whatif,
    asked,
    text,
)
from budget_model.views.asked import Asked
from budget_model.views.budget_answers import BudgetAnswers
from budget_model.views.frame import Page

COMPUTE, WHAT_IF, LIMITS = "compute", "whatif", "limits"
PANELS = {COMPUTE: "Compute", WHAT_IF: "What if", LIMITS: "Own limits"}
"""What may stand beside the budget, and its name."""


def render(page: Page) -> None:
    """Draw the page."""
    counts = page.answers.counts(page.filter)
    if not counts.ok:
        st.info(
            "No ok request matches the filter, so there is no time to divide.",
            icon=":material/filter_alt_off:",
        )
        return
    _body(page)


@st.fragment
def _body(page: Page) -> None:
    answers = BudgetAnswers(page.workspace, page.answers.generation)
    default = allocator_controls.default_question(page)
    question, complaints = asked.decode(address.kept(*asked.PARAMETERS), default)
    for complaint in complaints:
        st.warning(f"The address cannot be used in part. {text.markdown(complaint, 200)}")
    proposal, refused = _propose(page, answers, question)
    with st.container(key="allocator-columns"):
        controls, answer, beside = st.columns([25, 45, 30], gap="medium")
    with controls:
        allocator_controls.render(page, question, proposal)
        if proposal is not None:
            allocator_save.render(page, question, proposal)
    if proposal is None:
        with answer:
            st.error(text.markdown(refused, 400), icon=":material/block:")
        return
    with answer:
        allocator_answer.render(page, answers, question, proposal)
        if proposal.feasible:
            allocator_answer.tokens(proposal)
    with beside:
        _beside(page, answers, question, proposal)
        allocator_answer.warnings(proposal)
    answers.prepare(page.filter)


def _beside(page: Page, answers: BudgetAnswers, question: Asked, proposal: Proposal) -> None:
    usual = WHAT_IF if allocator_whatif.asked_for() else COMPUTE
    shown = st.session_state["beside"] = address.one_of("beside", PANELS, usual)
    st.segmented_control(
        "Beside the budget",
        list(PANELS),
        key="beside",
        required=True,
        format_func=PANELS.__getitem__,
        label_visibility="collapsed",
        on_change=lambda: address.write("beside", st.session_state["beside"]),
    )
    if shown == WHAT_IF:
        allocator_whatif.render(page, answers, question)
    elif shown == LIMITS:
        allocator_answer.lines(proposal)
    else:
        allocator_compute.render(page, answers, question, proposal)


def _propose(page: Page, answers: BudgetAnswers, question: Asked) -> tuple[Proposal | None, str]:
    try:
        rule = question.rule(_tpot_ms(page, question))
        return answers.propose(page.filter, question.question(), rule), ""
    except BudgetError as refusal:
        return None, str(refusal)


def _tpot_ms(page: Page, question: Asked) -> float | None:
    if question.strategy is not Strategy.TOKEN_NEED:
        return None
    row = page.answers.percentiles(page.filter, ("tpot",), (question.q,))[0]
    return row.estimates[0].value_ms
