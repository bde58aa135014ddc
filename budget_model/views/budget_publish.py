"""Publish an approved version and its check to MLflow, and say what stands there now."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from budget_model.errors import TailbudgetError
from budget_model.services.budgets import BudgetView
from budget_model.services.mlflow_publish import Following
from budget_model.services.mlflow_publish_budget import (
    MOST_ASSESSED,
    PublishReport,
    PublishRequest,
    publish_budget,
)
from budget_model.services.mlflow_publish_words import assessed_words, run_words
from budget_model.services.mlflow_server import known_servers, server_address
from budget_model.services.mlflow_sources import check_address
from budget_model.services.workspace import Workspace
from budget_model.views import address, budget_check, draw, jobs, tables, text
from budget_model.views.frame import Page
from budget_model.views.jobs import Job

TITLE = "Publishing"

_REFUSED = "publish-refused"


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is published: this version, held against the traffic chosen on the page."""

    workspace: Workspace
    view: BudgetView
    since_us: int | None


def render(page: Page, view: BudgetView) -> None:
    """The form; while it runs its progress, and afterwards what came of it."""
    draw.heading("Publish to MLflow")
    job = jobs.jobs().current
    if job is not None:
        _told(job)
    against = address.read("against", "all")
    _form(_Asked(page.workspace, view, budget_check.traffic(view, against).since_us))


def _told(job: Job) -> None:
    """How far publishing is, or what came of it; other work is only named."""
    if not job.title.startswith(TITLE):
        if job.is_running:
            st.caption(f"{text.markdown(job.title, 100)} is at work; publishing can begin when it has ended.")
        return
    ended = jobs.panel()
    if ended is not None:
        with st.container(key="publish-outcome"):
            outcome(ended)
            st.button("Dismiss", key="publish-dismiss", on_click=jobs.jobs().dismiss, type="tertiary")


def outcome(job: Job) -> None:
    """What an ended job published, or why it did not."""
    if job.refusal:
        st.error(f"{text.markdown(job.title, 200)}: {text.markdown(job.refusal, 500)}")
    elif isinstance(job.answer, PublishReport):
        show_report(job.answer)


def show_report(report: PublishReport) -> None:
    """The runs with links to MLflow's own pages of them, and the traces that were marked."""
    lines = [tables.outward(run_words(run), run.url) for run in report.runs]
    if report.assessed is not None:
        lines.append(text.markup(assessed_words(report.assessed), 300))
    if report.note:
        lines.append(text.markup(f"Note: {report.note}.", 300))
    if report.stopped:
        lines.append("Cancelled; what was published until then stays.")
    items = "".join(f"<li>{line}</li>" for line in lines)
    st.html(f'<ul class="tb-steps">{items}</ul>')


def _form(asked: _Asked) -> None:
    known = known_servers(asked.workspace.ledger)
    st.session_state.setdefault("publish-to", known[0] if known else "")
    st.text_input("MLflow server", key="publish-to", placeholder="http://mlflow.example:5000")
    if len(known) > 1:
        st.pills(
            "Servers that were synced",
            known,
            key="publish-known",
            format_func=lambda one: text.markdown(one, 80),
            on_change=_take_known,
        )
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
        st.button(
            "Publish",
            key="publish",
            icon=":material/publish:",
            disabled=jobs.is_running(),
            on_click=_start,
            args=(asked,),
        )
    if _REFUSED in st.session_state:
        st.error(text.markdown(st.session_state.pop(_REFUSED), 500))
    st.caption("The version and its check against the traffic chosen below; what is there already stays.")


def _take_known() -> None:
    if chosen := st.session_state["publish-known"]:
        st.session_state["publish-to"] = chosen


def _start(asked: _Asked) -> None:
    """Publish in the background, or leave the reason why not for the page to show."""
    try:
        to = server_address(check_address(st.session_state["publish-to"]))
    except TailbudgetError as refusal:
        st.session_state[_REFUSED] = str(refusal)
        return
    request = PublishRequest(to, since_us=asked.since_us, assess=int(st.session_state["publish-assess"]))
    start(asked.workspace, asked.view, request)


def start(workspace: Workspace, view: BudgetView, request: PublishRequest) -> None:
    """Publish in the background."""

    def work(job: Job) -> PublishReport:
        return publish_budget(workspace, view.budget, request, Following(job.follow, job.cancel))

    jobs.jobs().start(f"{TITLE} {view.budget.name} version {view.budget.version}", work)
