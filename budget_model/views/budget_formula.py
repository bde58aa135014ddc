"""The formula of the error budget left with this view's numbers, one click away."""

from __future__ import annotations

import streamlit as st

from budget_model.services.budget_formula import TITLE, formula_sentences
from budget_model.services.checking import Check


def render(found: Check, *, key: str) -> None:
    """An expander; the sentences hold numbers alone, never labels."""
    with st.expander(TITLE, key=key):
        st.markdown("\n".join(f"- {sentence}" for sentence in formula_sentences(found)))
