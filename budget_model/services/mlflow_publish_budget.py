"""An approved budget, and what was measured against it, published to MLflow."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from budget_model.domain.budget import Budget, BudgetState
from budget_model.errors import BudgetError, SettingsError
from budget_model.exports.mlflow_client import Api
from budget_model.exports.mlflow_run import RunRecord, budget_record
from budget_model.queries.counts import time_range
from budget_model.queries.filters import Filter
from budget_model.queries.selection import select
from budget_model.services.budgets import segment_filter
from budget_model.services.checking import check_budget, check_file
from budget_model.services.mlflow_assess import Assessed, assess_slowest
from budget_model.services.mlflow_check_record import check_record
from budget_model.services.mlflow_publish import (
    EXPERIMENT,
    Following,
    PublishedRun,
    check_experiment,
    publish_to,
)
from budget_model.services.mlflow_server import opened_server, server_address
from budget_model.services.workspace import Workspace

MOST_ASSESSED = 1_000
"""Traces marked at a time: each is a question to the server."""


@dataclass(frozen=True, slots=True)
class PublishRequest:
    """Where to publish, and what beside the budget itself.

    The budget is held against its traffic since ``since_us`` (None: all of it), or against the
    load test in ``file``. ``assess`` of the slowest requests over the target are marked on the server.
    """

    uri: str
    experiment: str = EXPERIMENT
    since_us: int | None = None
    file: Path | None = None
    assess: int = 0


@dataclass(frozen=True, slots=True)
class PublishReport:
    """What stands on the server now. ``note`` says what was left out and why, "" when nothing was."""

    address: str
    experiment: str
    runs: tuple[PublishedRun, ...]
    assessed: Assessed | None = None
    note: str = ""
    stopped: bool = False


def publish_budget(
    workspace: Workspace, budget: Budget, request: PublishRequest, following: Following | None = None
) -> PublishReport:
    """Publish an approved version and its check; what is there already stays as it is.

    Raises BudgetError for a version that is not approved, SettingsError for what cannot be asked,
    SourceError for a file that cannot be read and RemoteError when the server fails; what was
    published until then stays, and is found when it is published again.
    """
    following = following or Following()
    address, experiment = _checked(budget, request)
    following.tell("Holding the budget against its traffic", 0, 3)
    checked = _check(workspace, budget, request)
    records = [budget_record(budget), *([checked] if checked else [])]
    with opened_server(request.uri, workspace.settings.mlflow_login) as api:
        runs = publish_to(api, records, experiment, following)
        assessed = _assessed(api, workspace, budget, request, following)
    note = "" if checked else "no request to hold the budget against, so there is no check"
    return PublishReport(address, experiment, runs, assessed, note, following.is_stopped)


def _checked(budget: Budget, request: PublishRequest) -> tuple[str, str]:
    """The address and the experiment, when this can be published at all."""
    check_approved(budget)
    if not 0 <= request.assess <= MOST_ASSESSED:
        raise SettingsError(f"{request.assess} traces to mark: 0 to {MOST_ASSESSED:,} are accepted")
    if request.file is not None and (request.assess or request.since_us is not None):
        raise SettingsError("a load test's file is checked as it is: without a start, and no trace is marked")
    return server_address(request.uri), check_experiment(request.experiment)


def check_approved(budget: Budget) -> None:
    """Raises BudgetError for a version that is not approved."""
    if budget.state is not BudgetState.APPROVED:
        raise BudgetError(
            f"budget {budget.name!r} version {budget.version} is {budget.state}: "
            "only an approved one is published"
        )


def _check(workspace: Workspace, budget: Budget, request: PublishRequest) -> RunRecord | None:
    """The check's record; None when there is not a single request."""
    if request.file is not None:
        with tempfile.TemporaryDirectory(prefix="tailbudget-publish-") as scratch:
            found = check_file(workspace.settings, Path(scratch), budget, request.file)
        return check_record(found, load_test=request.file) if found.e2e.n else None
    chosen = _traffic(budget, request)
    found = check_budget(workspace.engine, budget, chosen)
    times = time_range(select(workspace.engine.table(), chosen))
    return check_record(found, times) if found.e2e.n else None


def _traffic(budget: Budget, request: PublishRequest) -> Filter:
    return replace(segment_filter(budget.content.segment), since_us=request.since_us)


def _assessed(
    api: Api, workspace: Workspace, budget: Budget, request: PublishRequest, following: Following
) -> Assessed | None:
    if not request.assess or following.is_stopped:
        return None
    return assess_slowest(
        api,
        workspace.ledger,
        workspace.engine,
        budget,
        _traffic(budget, request),
        request.assess,
        following,
    )
