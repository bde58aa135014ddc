"""Runs over MLflow's REST API (version 2, the one that runs have)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from budget_model.errors import RemoteError
from budget_model.records.mlflow import History, Run
from budget_model.records.rejects import excerpt
from budget_model.sources.mlflow.http import MlflowApi
from budget_model.sources.mlflow.pages import Page, decoded, pages
from budget_model.sources.mlflow.runs_wire import Metric, RunOnWire, number, run_of

RUNS_AT_ONCE = 100
"""Runs in one page: a benchmark logs up to a thousand metrics each, a hundred kilobytes of JSON."""

_RUNS = "/api/2.0/mlflow/runs/search"
_HISTORY = "/api/2.0/mlflow/metrics/get-history"


class _Runs(Page):
    runs: list[RunOnWire] = msgspec.field(default_factory=list)


class _Points(Page):
    metrics: list[Metric] = msgspec.field(default_factory=list)


class RunsByApi:
    """Runs of one server."""

    _api: MlflowApi

    def runs(self, experiment_ids: Sequence[str]) -> Iterator[list[Run]]:
        """Pages of runs, deleted ones included, the earliest first."""
        if not experiment_ids:
            return

        def ask(token: str) -> _Runs:
            body = {
                "experiment_ids": list(experiment_ids),
                "run_view_type": "ALL",
                "max_results": RUNS_AT_ONCE,
                "order_by": ["attributes.start_time ASC"],
                "page_token": token,
            }
            return decoded(self._api.post(_RUNS, body), _Runs, self._api.base_url)

        for page in pages(ask, self._api.base_url):
            if page.runs:
                yield [self._run(one) for one in page.runs]

    def history(self, run_id: str, metric: str, limit: int) -> History:
        """The first ``limit`` points of one metric, in one answer; the others are not asked for."""
        params = {"run_id": run_id, "metric_key": metric, "max_results": limit}
        page = decoded(self._api.get(_HISTORY, params), _Points, self._api.base_url)
        try:
            points = [(int(one.step), number(one.value)) for one in page.metrics]
        except ValueError as problem:
            raise self._unusable(problem) from problem
        # A store that knows no pages answers everything it has.
        return History(points[:limit], bool(page.next_page_token) or len(points) > limit)

    def _run(self, wire: RunOnWire) -> Run:
        try:
            return run_of(wire)
        except ValueError as problem:
            raise self._unusable(problem) from problem

    def _unusable(self, problem: ValueError) -> RemoteError:
        return RemoteError(f"{self._api.base_url}: a run cannot be used: {excerpt(problem)}")
