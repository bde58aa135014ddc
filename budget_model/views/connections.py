"""Connections: MLflow sources, how each stands, and syncing one now."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from budget_model.errors import TailbudgetError
from budget_model.services import clock
from budget_model.services.mlflow_report import SyncReport, SyncRequest
from budget_model.services.mlflow_sources import Connection, check_address, connections, forget
from budget_model.services.mlflow_sync import sync_mlflow
from budget_model.views import draw, jobs, tables, text
from budget_model.views import format as words
from budget_model.views.jobs import Job
from budget_model.views.session import workspace
from budget_model.views.tables import Cell, Column

COMMAND = """\
# a tracking server or its database, again each minute
tailbudget sync mlflow http://mlflow.example:5000 --every 60s
tailbudget sync mlflow sqlite:////srv/mlflow/mlflow.db"""

COLUMNS = (
    Column("Source"),
    Column("State"),
    Column("Last sync (UTC)", "r"),
    Column("Lag", "r", "how long ago the last complete sync began: what the source held then is here"),
    Column("Traces", "r"),
    Column("Waiting", "r", "traces that have not ended: they come in when they have"),
    Column("Deleted", "r", "gone at the source; they stay in the figures"),
    Column("Runs", "r", "of load tests, those refused included"),
)

STATES = {
    "new": "not synced yet",
    "running": "syncing",
    "idle": "up to date",
    "failed": "failed",
    "stopped": "stopped",
    "interrupted": "interrupted",
}


def render() -> None:
    """Draw the section."""
    draw.heading("Connections")
    found = _all()
    if found:
        st.fragment(_table, run_every="5s")()
        _actions(found)
    else:
        st.caption(
            "Nothing is connected yet. Type the address of an MLflow tracking server or of its database, or "
            "leave it to the command, which can repeat the sync:"
        )
        st.code(COMMAND, language="bash")
    _form(opened=not found)


def _all() -> list[Connection]:
    home = workspace()
    return connections(home.settings, home.ledger, clock.now_us())


def _table() -> None:
    found = _all()
    tables.show(COLUMNS, [_cells(one) for one in found], key="connections")
    for one in found:
        for said in _remarks(one):
            st.caption(f"{text.markdown(one.source.address, 120)}: {said}")


def _cells(one: Connection) -> list[Cell | str]:
    source, standing = one.source, one.standing
    what = ", ".join(source.experiments) or "all experiments"
    kind = f"{source.kind} · " if source.kind else ""
    name = Cell(
        f'<span class="nw" title="{text.markup(source.address, 400)}">'
        f"{text.markup(text.middle(source.address, 52))}</span>"
        f"<br><small>{text.markup(kind + what, 80)}</small>"
    )
    last = source.ended_us if one.state != "running" else source.started_us
    return [
        name,
        Cell(f"{STATES.get(one.state, one.state)}<br><small>{_repeated(one)}</small>"),
        "–" if last is None else words.moment(last),
        "not complete yet" if one.lag_ms is None else words.duration(one.lag_ms),
        words.count(standing.known),
        words.count(standing.waiting),
        words.count(standing.deleted),
        words.count(one.runs),
    ]


def _repeated(one: Connection) -> str:
    if one.source.interval_ms is None:
        return "by hand"
    every = f"every {words.duration(one.source.interval_ms)}"
    return f"{every}, overdue" if one.is_overdue else every


def _remarks(one: Connection) -> list[str]:
    source, oldest_ms = one.source, one.standing.waiting_since_ms
    said = []
    if source.last_error:
        said.append(f"the last sync failed: {text.markdown(source.last_error, 400)}")
    if one.state == "interrupted":
        said.append("the process that synced it ended in the middle; whole batches were kept.")
    if one.is_overdue:
        said.append("the command that repeats the sync does not seem to run any more.")
    if source.note:
        said.append(text.markdown(source.note, 400))
    if oldest_ms is not None:
        said.append(f"the oldest trace that waits began {words.moment(oldest_ms * 1000)} UTC.")
    return said


def _actions(found: Sequence[Connection]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="connection-actions"):
        chosen = found[0]
        if len(found) > 1:
            chosen = st.selectbox(
                "Source",
                found,
                key="connection",
                format_func=lambda one: text.plain(one.source.address, 80),
                width=420,
            )
        if st.button("Sync now", key="sync-now", icon=":material/sync:", disabled=jobs.is_running()):
            start(chosen.request())
            st.rerun()
        nothing_came = not (
            chosen.runs or chosen.standing.known or chosen.standing.waiting or chosen.standing.deleted
        )
        if nothing_came and chosen.state != "running" and st.button("Remove", key="forget", type="tertiary"):
            forget(workspace().ledger, chosen.source.id)
            st.rerun()


def _form(*, opened: bool) -> None:
    with (
        st.expander("Connect to MLflow", expanded=opened, key="connect"),
        st.form("connect-form", border=False, clear_on_submit=False),
    ):
        uri = st.text_input(
            "Address",
            key="connect-uri",
            placeholder="http://mlflow.example:5000, sqlite:////srv/mlflow/mlflow.db or postgresql://user@host/name",
        )
        names = st.text_input(
            "Experiments", key="connect-experiments", placeholder="all, or names and ids separated by commas"
        )
        if st.form_submit_button("Connect and sync", disabled=jobs.is_running()):
            _connect(uri, tuple(name.strip() for name in names.split(",") if name.strip()))


def _connect(uri: str, experiments: tuple[str, ...]) -> None:
    try:
        address = check_address(uri)
    except TailbudgetError as refusal:
        st.error(text.markdown(str(refusal), 400))
        return
    start(SyncRequest(address, experiments))
    st.rerun()


def start(request: SyncRequest) -> None:
    """Sync in the background."""
    settings = workspace().settings

    def work(job: Job) -> SyncReport:
        return sync_mlflow(settings, request, on_progress=job.follow, cancel=job.cancel)

    jobs.jobs().start(f"Syncing {request.uri}", work)


def show_report(report: SyncReport) -> None:
    """What a sync did."""
    t, s = report.traces, report.spans
    counts = (
        f"{words.plural(t.new, 'trace')} new, {t.updated:,} updated, {t.waiting:,} waiting, "
        f"{t.deleted:,} deleted, {t.unchanged:,} unchanged; {words.plural(s.accepted, 'span')} in."
    )
    if read := report.extras.get("runs_read"):
        counts += (
            f" {words.plural(read, 'load-test run')} read, {report.extras['runs_accepted']:,} new or changed."
        )
    if read := report.extras.get("prompts_read"):
        differ = report.extras["prompts_accepted"] + report.extras["prompts_changed"]
        counts += f" {words.plural(read, 'prompt version')} read, {differ:,} new or changed."
    if report.error:
        st.error(f"{text.markdown(_sentence(report.error), 500)} Kept until then: {counts}")
    elif report.stopped:
        st.info(f"Cancelled; the batches that were whole are kept: {counts}")
    else:
        st.success(counts)
    if s.rejected:
        st.caption(f"{words.plural(s.rejected, 'record')} refused; the list of imports says why.")


def _sentence(said: str) -> str:
    return said if said.endswith(".") else said + "."
