"""What publishing to MLflow looks like on any page: the server, the progress and what came of it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from budget_model.errors import TailbudgetError
from budget_model.services.mlflow_publish_budget import PublishReport
from budget_model.services.mlflow_publish_words import assessed_words, run_words
from budget_model.services.mlflow_server import known_servers, server_address
from budget_model.services.mlflow_sources import check_address
from budget_model.services.workspace import Workspace
from budget_model.views import jobs, tables, text
from budget_model.views.jobs import Job

TITLE = "Publishing"

_REFUSED = "publish-refused"


def told() -> None:
    """How far publishing is, or what came of it; other work is only named."""
    job = jobs.jobs().current
    if job is None:
        return
    if not job.title.startswith(TITLE):
        if job.is_running:
            st.caption(f"{text.markdown(job.title, 100)} is at work; publishing can begin when it has ended.")
        return
    ended = jobs.panel()
    if ended is not None:
        with st.container(key="publish-outcome"):
            _outcome(ended)
            st.button("Dismiss", key="publish-dismiss", on_click=jobs.jobs().dismiss, type="tertiary")


def _outcome(job: Job) -> None:
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


def server_field(workspace: Workspace) -> None:
    """Where to publish to; servers that were synced are proposed."""
    known = known_servers(workspace.ledger)
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


def _take_known() -> None:
    if chosen := st.session_state["publish-known"]:
        st.session_state["publish-to"] = chosen


def button(start: Callable[[str], None], *, disabled: bool = False) -> None:
    """Calls ``start`` with the server's address; an address that cannot be used is told by ``refusal``."""
    st.button(
        "Publish",
        key="publish",
        icon=":material/publish:",
        disabled=disabled or jobs.is_running(),
        on_click=_begin,
        args=(start,),
    )


def _begin(start: Callable[[str], None]) -> None:
    try:
        start(server_address(check_address(st.session_state["publish-to"])))
    except TailbudgetError as refusal:
        st.session_state[_REFUSED] = str(refusal)


def refusal() -> None:
    """Why publishing did not begin, once."""
    if _REFUSED in st.session_state:
        st.error(text.markdown(st.session_state.pop(_REFUSED), 500))
