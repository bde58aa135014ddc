"""Data: bring data in, see what was refused, and which span went to which hop."""

from __future__ import annotations

import streamlit as st

from budget_model.services.import_report import ImportReport
from budget_model.services.mlflow_publish_budget import PublishReport
from budget_model.services.mlflow_report import SyncReport
from budget_model.services.rebuild import RebuildReport
from budget_model.views import (
    bring_in,
    connections,
    coverage_table,
    draw,
    health,
    jobs,
    mapping_table,
    past_imports,
    publishing,
    runs,
    text,
)
from budget_model.views import format as words
from budget_model.views.frame import Page
from budget_model.views.jobs import Job
from budget_model.views.welcome import COMMANDS


def render(page: Page) -> None:
    """Draw the page."""
    ended = jobs.panel()
    if ended is not None:
        _outcome(ended)
    left, right = st.columns([3, 2], gap="large")
    with left:
        draw.heading("Bring data in")
        bring_in.upload()
    with right:
        draw.heading("Or from the command line")
        st.caption("The command streams files of any size, and the dashboard may stay open.")
        st.code(COMMANDS, language="bash")
        if not page.answers.has_data():
            jobs.demo_button()
    connections.render()
    past_imports.render()
    runs.render()
    coverage_table.render(page.answers.generation)
    if page.answers.has_data():
        mapping_table.render(page.answers.generation)
        health.render(page)


def _outcome(job: Job) -> None:
    with st.container(key="job-outcome"):
        if job.refusal:
            st.error(f"{text.markdown(job.title, 200)}: {text.markdown(job.refusal, 400)}")
        elif isinstance(job.answer, ImportReport):
            bring_in.show_report(job.answer)
        elif isinstance(job.answer, SyncReport):
            connections.show_report(job.answer)
        elif isinstance(job.answer, PublishReport):
            publishing.show_report(job.answer)
        elif isinstance(job.answer, RebuildReport):
            spans, requests = (
                words.plural(job.answer.spans, "span"),
                words.plural(job.answer.requests, "request"),
            )
            st.success(f"Made {requests} again, from {spans} and the rows of request logs.")
        st.button("Dismiss", key="job-dismiss", on_click=jobs.jobs().dismiss, type="tertiary")
