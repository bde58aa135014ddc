"""Long work started from a page."""

import streamlit as st

from budget_model.services.workspace import Workspace


def demo_button(workspace: Workspace) -> None:
    """Offer the demo."""
    st.button("Load the demo", type="primary", key="load-demo")
