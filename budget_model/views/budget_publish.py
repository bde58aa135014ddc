"""Publish an approved version and its check to MLflow, and say what stands there now."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from budget_model.services.budgets import BudgetView
from budget_model.services.mlflow_publish import Following
from budget_model.services.mlflow_publish_budget import (
    MOST_ASSESSED,
    PublishReport,
    PublishRequest,
    publish_budget,
)
from budget_model.services.workspace import Workspace
from budget_model.views import address, budget_check, draw, jobs, publishing
from budget_model.views.frame import Page
from budget_model.views.jobs import Job


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is published: this version, held against the traffic chosen on the page."""

    workspace: Workspace
    view: BudgetView
    since_us: int | None


def render(page: Page, view: BudgetView) -> None:
    """The form; while it runs its progress, and afterwards what came of it."""
    draw.heading("Publish to MLflow")
    publishing.told()
    against = address.read("against", "all")
    _form(_Asked(page.workspace, view, budget_check.traffic(view, against).since_us))


def _form(asked: _Asked) -> None:
    publishing.server_field(asked.workspace)
    with st.container(horizontal=True, vertical_alignment="bottom", key="publish-form"):
        st.number_input(
            "Slowest traces to mark",
            min_value=0,
            max_value=MOST_ASSESSED,
            value=0,
            key="publish-assess",
            width=180,
            help="Requests over the target that were synced from this server get a feedback that names the "
            "hop furthest over its line.",
        )
        publishing.button(lambda to: _start(asked, to))
    publishing.refusal()
    st.caption("The version and its check against the traffic chosen below; what is there already stays.")


def _start(asked: _Asked, to: str) -> None:
    request = PublishRequest(to, since_us=asked.since_us, assess=int(st.session_state["publish-assess"]))

    def work(job: Job) -> PublishReport:
        return publish_budget(asked.workspace, asked.view.budget, request, Following(job.follow, job.cancel))

    jobs.jobs().start(
        f"{publishing.TITLE} {asked.view.budget.name} version {asked.view.budget.version}", work
    )
