"""``tailbudget publish mlflow``: an approved budget and its check, or a weekly review, as runs in MLflow."""

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
from budget_model.commands.held_against import FileOption, SinceOption, budget_named, start_of_traffic
from budget_model.errors import SettingsError
from budget_model.services import clock
from budget_model.services.exported_budget import is_exported
from budget_model.services.import_report import Progress
from budget_model.services.iso_week import parse_week
from budget_model.services.mlflow_publish import EXPERIMENT, Following
from budget_model.services.mlflow_publish_budget import PublishReport, PublishRequest, publish_budget
from budget_model.services.mlflow_publish_review import ReviewRequest, publish_review
from budget_model.services.mlflow_publish_words import assessed_words, run_words
from budget_model.services.workspace import Workspace

app = typer.Typer(no_args_is_help=True, help="Put budgets, checks and reviews where other tools show them.")


@app.callback()
def _all_targets() -> None:
    # A group even while there is one command in it: the name of the tool is part of the command.
    pass


@app.command()
def mlflow(
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="URI",
            help="http(s)://HOST of a tracking server. Credentials are better given by "
            "MLFLOW_TRACKING_USERNAME and _PASSWORD, or MLFLOW_TRACKING_TOKEN.",
        ),
    ],
    name: Annotated[
        str | None,
        typer.Argument(help="The budget's name, or the file of an exported one; with --review all of them."),
    ] = None,
    review: Annotated[
        str | None,
        typer.Option("--review", metavar="WEEK", help="The review of an ISO week that is over, as 2026-W49."),
    ] = None,
    version: Annotated[int | None, typer.Option("--version", help="Default: the approved one.")] = None,
    experiment: Annotated[
        str, typer.Option("--experiment", help="Name of the experiment; made when it is new.")
    ] = EXPERIMENT,
    file: FileOption = None,
    since: SinceOption = None,
    assess: Annotated[
        int,
        typer.Option(
            "--assess",
            help="Mark so many of the slowest requests over the target on the server they came from.",
        ),
    ] = 0,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Log an approved budget and its check, or a week's review, as runs; what is there stays as it is."""
    now_us = clock.now_us()
    if review is not None:
        _refuse_beside_review(version, file, since, assess)
        _review(home, ReviewRequest(to, parse_week(review), experiment, name), now_us, as_json=as_json)
        return
    if name is None:
        raise SettingsError("publish what? give a budget's NAME, or --review WEEK")
    request = PublishRequest(to, experiment, start_of_traffic(file, since, now_us), file, assess)
    # A budget that was exported needs no home, and a pipeline has none.
    workspace = Workspace(settings_for(home) if is_exported(name) else settings_to_read(home))
    try:
        view = budget_named(workspace, name, version, now_us)
        report = publish_budget(workspace, view.budget, request, Following(_show))
    finally:
        workspace.close()
    _tell(report, as_json=as_json)
    for reason in view.stale:
        err.print(f"stale: {reason}", markup=False, soft_wrap=True)
    if report.stopped:
        raise typer.Exit(EXIT_CANNOT_SAY)


def _refuse_beside_review(version: int | None, file: Path | None, since: str | None, assess: int) -> None:
    if version is not None or file is not None or since is not None or assess:
        raise SettingsError(
            "a review is of its week and of the approved versions: --version, --file, --since and --assess "
            "do not go with --review"
        )


def _review(home: Path | None, request: ReviewRequest, now_us: int, *, as_json: bool) -> None:
    workspace = Workspace(settings_to_read(home))
    try:
        report = publish_review(workspace, request, now_us, Following(_show))
    finally:
        workspace.close()
    _tell(report, as_json=as_json)


def _show(progress: Progress) -> None:
    err.print(progress.words, markup=False, soft_wrap=True)


def _tell(report: PublishReport, *, as_json: bool) -> None:
    print_json(report) if as_json else _print(report)


def _print(report: PublishReport) -> None:
    for run in report.runs:
        out.print(f"{run_words(run)}: {run.url}", markup=False, soft_wrap=True)
    if report.assessed is not None:
        out.print(assessed_words(report.assessed), markup=False, soft_wrap=True)
    if report.note:
        out.print(f"note: {report.note}", markup=False, soft_wrap=True)
