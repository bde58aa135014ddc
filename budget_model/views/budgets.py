"""Budgets."""

from __future__ import annotations

import streamlit as st

from budget_model.views.frame import Page


def render(page: Page) -> None:
    """Draw the page."""
    st.caption(f"{len(page.workspace.budgets.names())} budgets")
