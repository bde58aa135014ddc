"""Reviews remembered per generation, week and version, so that a click does not check again."""

from __future__ import annotations

import streamlit as st

from budget_model.services.budgets import BudgetView
from budget_model.services.iso_week import Week
from budget_model.services.weekly_review import BudgetReview, WeeklyReview, approved, review_budget
from budget_model.services.workspace import Workspace
from budget_model.views.frame import Page

MINUTE_US = 60_000_000


@st.cache_resource(max_entries=64, show_spinner=False)
def _one(
    _workspace: Workspace, generation: int, view: BudgetView, week: str, _week: Week, made_us: int
) -> BudgetReview:
    del generation, week  # part of the key only
    return review_budget(_workspace.engine, view, _week, made_us)


def reviewed(page: Page, week: Week, now_us: int) -> WeeklyReview:
    """The review of a week as of this minute."""
    made_us = now_us // MINUTE_US * MINUTE_US
    generation = page.answers.generation
    found = tuple(
        _one(page.workspace, generation, view, str(week), week, min(made_us, week.until_us))
        for view in approved(page.workspace.budgets, now_us)
    )
    return WeeklyReview(week, made_us, found)
