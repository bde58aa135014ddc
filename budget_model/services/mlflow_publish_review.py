"""A weekly review published to MLflow."""

from __future__ import annotations

from dataclasses import dataclass

from budget_model.services.closed_review import closed_review
from budget_model.services.iso_week import Week
from budget_model.services.mlflow_publish import EXPERIMENT, Following, check_experiment, publish_records
from budget_model.services.mlflow_publish_budget import PublishReport
from budget_model.services.mlflow_review_record import review_record
from budget_model.services.mlflow_server import server_address
from budget_model.services.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """Where to publish which week: of every approved budget, or of ``budget`` alone."""

    uri: str
    week: Week
    experiment: str = EXPERIMENT
    budget: str | None = None


def publish_review(
    workspace: Workspace, request: ReviewRequest, now_us: int, following: Following | None = None
) -> PublishReport:
    """Publish the review of a week that is over, as of its end; what is there already stays as it is.

    Raises NoDataError for a week that is not over or had no request, BudgetError for a budget that is
    not approved, SettingsError for what cannot be asked and RemoteError when the server fails.
    """
    following = following or Following()
    address, experiment = server_address(request.uri), check_experiment(request.experiment)
    following.tell(f"Reviewing week {request.week}", 0, 2)
    found = closed_review(workspace.engine, workspace.budgets, request.week, now_us, request.budget)
    record, login = review_record(found), workspace.settings.mlflow_login
    runs = publish_records(login, request.uri, [record], experiment, following)
    return PublishReport(address, experiment, runs, stopped=following.is_stopped)
