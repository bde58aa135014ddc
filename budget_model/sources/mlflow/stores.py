"""The two ways to read MLflow, each whole."""

from __future__ import annotations

from budget_model.records.mlflow import Origin
from budget_model.sources.mlflow.database import MlflowDatabase
from budget_model.sources.mlflow.http import MlflowApi
from budget_model.sources.mlflow.prompts_api import PromptsByApi
from budget_model.sources.mlflow.prompts_database import PromptsByDatabase
from budget_model.sources.mlflow.runs_api import RunsByApi
from budget_model.sources.mlflow.runs_database import RunsByDatabase
from budget_model.sources.mlflow.traces_api import TracesByApi
from budget_model.sources.mlflow.traces_database import TracesByDatabase


class ApiStore(TracesByApi, RunsByApi, PromptsByApi):
    """Everything of one server, over its REST API. ``note`` says why the slower way was taken."""

    def __init__(self, api: MlflowApi, note: str = "") -> None:
        super().__init__(api)
        self._note = note

    @property
    def origin(self) -> Origin:
        """Where this reads; ``note`` may grow while it does."""
        note = "; ".join(one for one in (self._note, self._links.note) if one)
        return Origin(self._api.base_url, "api", self._api.base_url, note)

    def close(self) -> None:
        """Give up connections."""
        self._api.close()


class DatabaseStore(TracesByDatabase, RunsByDatabase, PromptsByDatabase):
    """Everything of one database; ``pages`` is the address of the server before it, "" when unknown."""

    def __init__(self, database: MlflowDatabase, pages: str = "") -> None:
        super().__init__(database)
        self._pages = pages

    @property
    def origin(self) -> Origin:
        """Where this reads."""
        return Origin(self._database.address, self._database.kind, self._pages)

    def close(self) -> None:
        """Give up connections."""
        self._database.close()
