"""``tailbudget runs``: load-test runs that trackers logged, as stages and sweep points."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from budget_model.commands.common import (
    EXIT_CANNOT_SAY,
    HomeOption,
    JsonOption,
    err,
    out,
    print_json,
    settings_for,
    settings_to_read,
)
from budget_model.errors import SourceError
from budget_model.services.run_files import RunFileReport, import_runs
from budget_model.services.run_history import MOST_POINTS, run_history
from budget_model.services.run_points import FIELDS, Point, RunList, run_points
from budget_model.services.workspace import Workspace

app = typer.Typer(help="Load-test runs from MLflow, as stages and sweep points.")

EMPTY = (
    "No runs yet: `tailbudget sync mlflow URI` brings those of a server, "
    "`tailbudget runs import FILE` those of an export."
)
_REJECTS_SHOWN = 20


@app.callback(invoke_without_command=True)
def runs(context: typer.Context, as_json: JsonOption = False, home: HomeOption = None) -> None:
    """List the points with their settings and percentiles, and count what is missing of them."""
    if context.invoked_subcommand is not None:
        return
    workspace = Workspace(settings_to_read(home))
    try:
        found = run_points(workspace.ledger)
    finally:
        workspace.close()
    if as_json:
        print_json(found.as_json())
    else:
        _show(found)


@app.command("import")
def import_(
    files: Annotated[list[Path], typer.Argument(help="Answers of runs/search, tables of search_runs.")],
    as_json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Bring in runs exported from MLflow: JSON of runs/search, CSV or Parquet of mlflow.search_runs."""
    settings = settings_for(home)
    reports, failures = list[RunFileReport](), list[tuple[Path, str]]()
    for path in files:
        try:
            reports.append(import_runs(settings, path))
        except SourceError as problem:
            failures.append((path, str(problem)))
    if as_json:
        told = [{"path": str(path), "error": said} for path, said in failures]
        print_json({"files": [_as_json(one) for one in reports], "failures": told})
    else:
        for one in reports:
            _show_report(one)
    for _, said in failures:
        err.print(said, style="red", markup=False, soft_wrap=True)
    if failures:
        raise typer.Exit(EXIT_CANNOT_SAY)


@app.command()
def history(
    run_id: Annotated[str, typer.Argument(help="Id of a run that a sync brought.")],
    metric: Annotated[str, typer.Argument(help="Name of the metric as it was logged.")],
    points: Annotated[int, typer.Option(help="Points that are read at most, the earliest.")] = 1_000,
    as_json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Read how one metric of a run went, from the source of the run; says when there is more."""
    found = run_history(settings_to_read(home), run_id, metric, points)
    if as_json:
        told = [{"step": step, "value": value} for step, value in found.points]
        counts = {"n": len(told), "cut": found.is_cut, "not_finite": found.not_finite}
        print_json({"run_id": run_id, "metric": metric, **counts, "points": told})
        return
    for step, value in found.points:
        _say(f"{step}\t{'not a number' if value is None else f'{value:.6g}'}")
    cut = f"; the run has more, {_reading_on(points)}" if found.is_cut else ""
    err.print(f"{len(found.points):,} points{cut}", markup=False, soft_wrap=True)


def _reading_on(points: int) -> str:
    if points < MOST_POINTS:
        return "raise --points to read on"
    return f"of which no more than {MOST_POINTS:,} can be read at once"


def _as_json(report: RunFileReport) -> dict[str, object]:
    return {"path": report.path, **report.counts.as_extras(), "rejects": list(report.rejects)}


def _show_report(report: RunFileReport) -> None:
    c = report.counts
    _say(
        f"{report.path}: {c.read:,} runs read = {c.accepted:,} accepted + {c.rejected:,} rejected + "
        f"{c.duplicates:,} duplicates"
    )
    for reject in report.rejects[:_REJECTS_SHOWN]:
        _say(f"  {reject.where}: {reject.reason}")


def _show(found: RunList) -> None:
    for point in found.points:
        _say(_line(point))
    if not found.points:
        _say(EMPTY)
    counts = f"{len(found.points):,} runs, {found.in_progress:,} of them in progress"
    _say(f"{counts}; {found.deleted:,} deleted, {len(found.rejected):,} rejected")
    lacking = [f"{field} in {n:,}" for field, n in found.missing.items() if n]
    if found.points and lacking:
        _say(f"not logged: {', '.join(lacking)} of {len(found.points):,}")
    if found.not_finite:
        _say(f"{found.not_finite:,} metrics are NaN or infinite and count as missing")
    for one in found.rejected[:_REJECTS_SHOWN]:
        _say(f"rejected {one.run.name or one.run.run_id}: {one.run.reason}")


def _line(point: Point) -> str:
    run = point.run
    told = [f"{field} {_value(value)}" for field in FIELDS if (value := point.value(field)) is not None]
    of = f" (stage of {point.parent})" if point.parent else ""
    state = "" if run.state == "known" and run.status in ("", "FINISHED") else f" [{run.status.lower()}]"
    return f"{run.name or run.run_id}{of}{state}: {', '.join(told) or 'nothing logged yet'}"


def _value(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:,.6g}"


def _say(words: str) -> None:
    out.print(words, markup=False, soft_wrap=True)
