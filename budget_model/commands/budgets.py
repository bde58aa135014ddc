"""``tailbudget budgets``: list, show, move through their states, compare and export."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.table import Table

from budget_model.commands import cells
from budget_model.commands.common import HomeOption, JsonOption, err, out, print_json, settings_to_read
from budget_model.commands.metric_options import (
    DEFAULT_ERROR_LABEL,
    DEFAULT_HISTOGRAM,
    ErrorLabelOption,
    HistogramOption,
    LabelOption,
    metric_names,
)
from budget_model.domain.budget import BudgetState
from budget_model.services import clock
from budget_model.services.budgets import BudgetView, By
from budget_model.services.exporting import ExportFormat, export_budget, unreachable_alerts
from budget_model.services.workspace import Workspace

app = typer.Typer(no_args_is_help=True, help="Budgets people saved: versions, states, exports.")

NameArgument = Annotated[str, typer.Argument(help="The budget's name.")]
VersionOption = Annotated[
    int | None, typer.Option("--version", help="Default: the approved one, else the newest.")
]
WhoOption = Annotated[str | None, typer.Option("--as", help="Who acts (default: the user logged in).")]
WhyOption = Annotated[str, typer.Option("--why", help="The reason, for the audit log.")]


@app.command("list")
def list_(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """All budgets: the approved version of each, else the newest."""
    with _open(home) as workspace:
        now = clock.now_us()
        views = [workspace.budgets.get(name, None, now) for name in workspace.budgets.names()]
    if as_json:
        print_json({"budgets": [view_json(view) for view in views]})
        return
    table = Table()
    for title in ("name", "version", "state", "target", "stale"):
        table.add_column(title)
    for view in views:
        budget = view.budget
        target = f"{budget.content.target_us / 1000:g} ms at p{budget.content.q * 100:g}"
        stale = cells.label(" ".join(view.stale) or "no")
        table.add_row(cells.label(budget.name), str(budget.version), budget.state, target, stale)
    out.print(table if views else "No budget is saved yet; tailbudget allocate --save NAME saves one.")


@app.command("show")
def show(
    name: NameArgument, version: VersionOption = None, home: HomeOption = None, as_json: JsonOption = False
) -> None:
    """One version: its lines, what it was derived from and every step."""
    with _open(home) as workspace:
        view = workspace.budgets.get(name, version, clock.now_us())
    if as_json:
        print_json(view_json(view))
        return
    budget = view.budget
    table = Table(title=cells.label(f"{budget.name} version {budget.version}, {budget.state}"))
    table.add_column("line")
    table.add_column("ms", justify="right")
    for line in budget.content.lines:
        table.add_row(line.name, f"{line.printed_ms:,}")
    out.print(table)
    for step in budget.steps:
        out.print(
            cells.label(f"{_moment(step.at_us)} {step.state} by {step.who}: {step.why or 'no reason given'}")
        )
    for reason in view.stale:
        err.print(cells.label(f"stale: {reason}"))


@app.command("diff")
def diff(
    name: NameArgument, before: int, after: int, home: HomeOption = None, as_json: JsonOption = False
) -> None:
    """What changed from one version to another."""
    with _open(home) as workspace:
        changes = workspace.budgets.diff(name, before, after)
    if as_json:
        print_json({"changes": changes})
        return
    table = Table()
    for title in ("field", f"version {before}", f"version {after}"):
        table.add_column(title)
    for change in changes:
        table.add_row(change.field, cells.label(change.before), cells.label(change.after))
    out.print(table if changes else "No difference.")


@app.command("export")
def export(
    name: NameArgument,
    form: Annotated[ExportFormat, typer.Option("--format", help="What to write.")],
    version: VersionOption = None,
    histogram: HistogramOption = DEFAULT_HISTOGRAM,
    error_label: ErrorLabelOption = DEFAULT_ERROR_LABEL,
    label: LabelOption = None,
    home: HomeOption = None,
) -> None:
    """Print a version in a form that another tool accepts."""
    names = metric_names(histogram, error_label, label)
    with _open(home) as workspace:
        view = workspace.budgets.get(name, version, clock.now_us())
    print(export_budget(view.budget, form, names), end="")
    if form in (ExportFormat.PROMETHEUS, ExportFormat.SLOTH, ExportFormat.OPENSLO):
        for line in unreachable_alerts(view.budget.content.q):
            err.print(line, markup=False, soft_wrap=True)
    for reason in view.stale:
        err.print(cells.label(f"stale: {reason}"))


@app.command("audit")
def audit(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Who did what, newest first."""
    with _open(home) as workspace:
        lines = workspace.budgets.audit()
    if as_json:
        print_json({"audit": lines})
        return
    for line in lines:
        out.print(cells.label(f"{_moment(line.at_us)} {line.who}: {line.action} {line.subject}. {line.why}"))


def _mover(state: BudgetState, words: str) -> Callable[..., None]:
    def move(
        name: NameArgument,
        version: Annotated[int, typer.Option("--version", help="Which version.")],
        who: WhoOption = None,
        why: WhyOption = "",
        home: HomeOption = None,
        as_json: JsonOption = False,
    ) -> None:
        with _open(home) as workspace:
            by = By(who or getpass.getuser(), clock.now_us(), why)
            moved = workspace.budgets.move(name, version, state, by)
        if as_json:
            print_json({"name": moved.name, "version": moved.version, "state": moved.state})
        else:
            out.print(cells.label(f"{moved.name} version {moved.version} is {moved.state}"))

    move.__doc__ = words
    return move


app.command("propose")(_mover(BudgetState.PROPOSED, "Put a draft forward for approval."))
app.command("approve")(_mover(BudgetState.APPROVED, "Approve somebody else's proposal."))
app.command("retire")(_mover(BudgetState.RETIRED, "Take a version out of use."))
app.command("send-back")(_mover(BudgetState.DRAFT, "Make a proposal a draft again."))


def view_json(view: BudgetView) -> dict[str, object]:
    """One version as JSON, milliseconds."""
    budget, content = view.budget, view.budget.content
    return {
        "name": budget.name,
        "version": budget.version,
        "state": budget.state,
        "stale": view.stale,
        "segment": dict(content.segment),
        "target_ms": content.target_us / 1000,
        "percentile": content.q * 100,
        "headroom": content.headroom,
        "strategy": content.strategy,
        "lines": [
            {"name": line.name, "ms": line.us / 1000, "printed_ms": line.printed_ms, "kind": line.kind}
            for line in content.lines
        ],
        "guard_limits": {hop: us / 1000 for hop, us in content.guard_limits_us.items()},
        "evidence": content.evidence,
        "assumptions": content.assumptions,
        "steps": budget.steps,
    }


@contextmanager
def _open(home: HomeOption) -> Iterator[Workspace]:
    workspace = Workspace(settings_to_read(home))
    try:
        yield workspace
    finally:
        workspace.close()


def _moment(time_us: int) -> str:
    return datetime.fromtimestamp(time_us / 1_000_000, UTC).strftime("%Y-%m-%d %H:%M UTC")
