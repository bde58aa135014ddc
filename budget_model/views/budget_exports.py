"""A version as files for other tools."""

from __future__ import annotations

import streamlit as st

from budget_model.services.budgets import BudgetView
from budget_model.services.exporting import (
    ExportFormat,
    export_budget,
    export_file_name,
    unreachable_alerts,
)
from budget_model.views import draw, text

NAMES: dict[ExportFormat, tuple[str, str]] = {
    ExportFormat.OPENSLO: ("OpenSLO", "application/yaml"),
    ExportFormat.SLOTH: ("Sloth", "application/yaml"),
    ExportFormat.PROMETHEUS: ("Prometheus rules", "application/yaml"),
    ExportFormat.GRAFANA: ("Grafana dashboard", "application/json"),
    ExportFormat.CSV: ("CSV", "text/csv"),
    ExportFormat.JSON: ("JSON", "application/json"),
}
"""How the forms are written for people, and their media types."""


def render(view: BudgetView) -> None:
    """A download for each form, with what to know of the alerts in them."""
    draw.heading("Export")
    with st.container(horizontal=True, key="budget-exports"):
        for form, (name, media) in NAMES.items():
            st.download_button(
                name,
                export_budget(view.budget, form),
                file_name=export_file_name(view.budget, form),
                mime=media,
                key=f"export-{form}",
                on_click="ignore",
                icon=":material/download:",
            )
    for sentence in unreachable_alerts(view.budget.content.q):
        st.caption(f":material/warning: {text.markdown(sentence, 400)} The exported rules use that share.")
