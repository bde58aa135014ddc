"""Runs from MLflow's database: each with its last metrics, and a bounded part of a metric's history."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from budget_model.records.mlflow import History, Run
from budget_model.sources.mlflow.database import MlflowDatabase
from budget_model.sources.mlflow.runs_wire import number

RUNS_AT_ONCE = 250
"""Runs in one question, with up to a thousand metrics each."""

_PAGE = (
    "SELECT run_uuid, experiment_id, name, status, lifecycle_stage, start_time, end_time FROM runs "
    "WHERE experiment_id IN :experiments AND run_uuid > :last ORDER BY run_uuid LIMIT :most"
)
_METRICS = "SELECT run_uuid, key, value, is_nan FROM latest_metrics WHERE run_uuid IN :ids"
_PARAMS = "SELECT run_uuid, key, value FROM params WHERE run_uuid IN :ids"
_TAGS = "SELECT run_uuid, key, value FROM tags WHERE run_uuid IN :ids"
_HISTORY = (
    "SELECT step, value, is_nan FROM metrics WHERE run_uuid = :run AND key = :metric "
    "ORDER BY timestamp, step, value LIMIT :most"
)


class RunsByDatabase:
    """Runs of one database whose schema is known."""

    _database: MlflowDatabase

    def runs(self, experiment_ids: Sequence[str]) -> Iterator[list[Run]]:
        """Pages of runs, deleted ones included, in the order of their ids."""
        last = ""
        while experiment_ids:
            params = {"experiments": [int(one) for one in experiment_ids], "last": last, "most": RUNS_AT_ONCE}
            found = list(self._database.rows(_PAGE, params))
            if not found:
                return
            yield self._runs(found)
            last = found[-1][0]

    def history(self, run_id: str, metric: str, limit: int) -> History:
        """The first ``limit`` points of one metric; the others are not read."""
        params = {"run": run_id, "metric": metric, "most": limit + 1}
        points = [
            (int(step), math.nan if is_nan else number(value))
            for step, value, is_nan in self._database.rows(_HISTORY, params)
        ]
        return History(points[:limit], len(points) > limit)

    def _runs(self, rows: list[tuple[Any, ...]]) -> list[Run]:
        ids = [row[0] for row in rows]
        metrics = defaultdict[str, dict[str, float]](dict)
        for run_id, key, value, is_nan in self._database.rows(_METRICS, {"ids": ids}):
            metrics[run_id][key] = math.nan if is_nan else number(value)
        params, tags = self._texts(_PARAMS, ids), self._texts(_TAGS, ids)
        return [_run(row, metrics[row[0]], params[row[0]], tags[row[0]]) for row in rows]

    def _texts(self, query: str, ids: list[str]) -> defaultdict[str, dict[str, str]]:
        found = defaultdict[str, dict[str, str]](dict)
        for run_id, key, value in self._database.rows(query, {"ids": ids}):
            found[run_id][key] = value or ""
        return found


def _run(
    row: tuple[Any, ...], metrics: dict[str, float], params: dict[str, str], tags: dict[str, str]
) -> Run:
    run_id, experiment, name, status, lifecycle, start_ms, end_ms = row
    return Run(
        run_id=run_id,
        experiment_id=str(experiment),
        name=name or tags.get("mlflow.runName", ""),
        status=status or "",
        lifecycle=lifecycle or "active",
        start_ms=start_ms or None,
        end_ms=end_ms or None,
        metrics=metrics,
        params=params,
        tags=tags,
    )
