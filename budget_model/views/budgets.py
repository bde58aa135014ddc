"""Budgets: the list, one version in full, what it was held against, and who did what."""

from __future__ import annotations

import streamlit as st

from budget_model.domain.budget import BudgetState
from budget_model.errors import BudgetError
from budget_model.services import clock
from budget_model.services.budgets import BudgetView
from budget_model.views import (
    address,
    budget_check,
    budget_exports,
    budget_history,
    budget_publish,
    budget_steps,
    budget_version,
    draw,
    tables,
    text,
)
from budget_model.views import format as words
from budget_model.views.budget_answers import BudgetAnswers
from budget_model.views.frame import Page
from budget_model.views.tables import Cell, Column

COLUMNS = (
    Column("Budget"),
    Column("Version", "r"),
    Column("State"),
    Column("Target"),
    Column("Applies to"),
    Column("Does it still hold?"),
)


def render(page: Page) -> None:
    """Draw the page."""
    now_us = clock.now_us()
    shelf = page.workspace.budgets
    names = shelf.names()
    if not names:
        _nothing(page)
        return
    views = [shelf.get(name, None, now_us) for name in names]
    draw.heading("All budgets")
    tables.show(COLUMNS, [row(view) for view in views], key="budget-list", caption="Budgets")
    chosen = _chosen(page, names, now_us)
    if chosen is not None:
        _one(page, chosen, now_us)
    budget_history.audit(shelf.audit())


def _nothing(page: Page) -> None:
    st.info("No budget is saved yet.", icon=":material/savings:")
    st.page_link(
        address.PAGES["Allocator"],
        label="Divide a target in the Allocator and save it as a draft",
        query_params=address.query(page.filter),
        icon=":material/arrow_forward:",
    )


def row(view: BudgetView) -> list[Cell | str]:
    """A budget in the list: its approved version, else its newest."""
    budget, content = view.budget, view.budget.content
    href = address.href(
        "Budgets", address.current_filter()[0], budget=budget.name, version=str(budget.version)
    )
    target = f"{words.duration(content.target_us / 1000)} at {words.percentile(content.q)}"
    return [
        tables.link(budget.name, href),
        str(budget.version),
        budget_version.state_cell(budget.state),
        target,
        Cell(budget_version.segment_markup(content.segment)),
        Cell(budget_version.stale_markup(view.stale)),
    ]


def _chosen(page: Page, names: list[str], now_us: int) -> BudgetView | None:
    name, version = address.read("budget", names[0]), address.whole_number("version")
    try:
        return page.workspace.budgets.get(name, version, now_us)
    except BudgetError as refusal:
        st.warning(text.markdown(str(refusal), 400))
        return None


def _one(page: Page, view: BudgetView, now_us: int) -> None:
    versions = page.workspace.budgets.versions(view.budget.name, now_us)
    budget_version.heading(view, versions)
    left, right = draw.halves("budget")
    with left:
        budget_version.lines(view.budget)
        budget_version.evidence(view.budget)
    with right:
        budget_steps.render(page, view)
        budget_exports.render(view)
        if view.budget.state is BudgetState.APPROVED:
            budget_publish.render(page, view)
    if page.answers.has_data():
        budget_check.render(BudgetAnswers(page.workspace, page.answers.generation), view)
    budget_history.differences(page.workspace.budgets, view, versions)
