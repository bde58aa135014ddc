"""Runs logged by MLflow's own client, in a process of its own since it takes seconds to load."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import Any

from tests.mlflow_server import MlflowServer, environment

_PROGRAM = """
import json, sys
from mlflow import MlflowClient
from mlflow.entities import Metric, Param, RunTag

given = json.load(sys.stdin)
client, ids = MlflowClient(given["url"]), []
for one in given["runs"]:
    run = client.create_run(one["experiment"], run_name=one["name"], tags=one["tags"])
    start_ms = 1_796_083_200_000
    metrics = [Metric(key, float(value), start_ms + step, step) for key, value, step in one["metrics"]]
    for start in range(0, len(metrics), 900):
        client.log_batch(run.info.run_id, metrics=metrics[start : start + 900])
    client.log_batch(run.info.run_id, params=[Param(*pair) for pair in one["params"].items()])
    if one["ended"]:
        client.set_terminated(run.info.run_id)
    if one["deleted"]:
        client.delete_run(run.info.run_id)
    ids.append(run.info.run_id)
print(*ids)
"""


def logged(
    experiment: str,
    name: str,
    metrics: dict[str, float | list[float]],
    *,
    params: dict[str, str] | None = None,
    tags: dict[str, str] | None = None,
    ended: bool = True,
    deleted: bool = False,
) -> dict[str, Any]:
    """What is to be logged as one run; of a list of values each is a step."""
    return {
        "experiment": experiment,
        "name": name,
        "metrics": [step for key, value in metrics.items() for step in _steps(key, value)],
        "params": params or {},
        "tags": tags or {},
        "ended": ended,
        "deleted": deleted,
    }


def log(server: MlflowServer, *runs: dict[str, Any]) -> list[str]:
    """Log the runs; their ids."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input=json.dumps({"url": server.url, "runs": runs}),
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1].split()  # the client says where each run can be looked at


def _steps(key: str, value: float | list[float]) -> list[tuple[str, float | str, int]]:
    values = value if isinstance(value, list) else [value]
    return [(key, one if math.isfinite(one) else str(one), step) for step, one in enumerate(values)]
