"""What stands on a real MLflow server, read back as anybody would."""

from __future__ import annotations

from typing import Any

import requests

TIMEOUT_S = 60


def runs(url: str, experiment: str) -> list[dict[str, Any]]:
    """All runs of an experiment by name, those that are not deleted; none when there is no experiment."""
    found = requests.get(
        f"{url}/api/2.0/mlflow/experiments/get-by-name", {"experiment_name": experiment}, timeout=TIMEOUT_S
    )
    if found.status_code == 404:
        return []
    body = {"experiment_ids": [found.json()["experiment"]["experiment_id"]], "max_results": 1000}
    answer = requests.post(f"{url}/api/2.0/mlflow/runs/search", json=body, timeout=TIMEOUT_S)
    answer.raise_for_status()
    return list(answer.json().get("runs", []))


def values(run: dict[str, Any], what: str) -> dict[str, Any]:
    """The params, metrics or tags of a run."""
    return {one["key"]: one["value"] for one in run["data"].get(what, [])}


def artifact(url: str, run_id: str, path: str) -> str:
    """The content of a run's file."""
    answer = requests.get(f"{url}/get-artifact", {"run_uuid": run_id, "path": path}, timeout=TIMEOUT_S)
    answer.raise_for_status()
    return answer.content.decode()


def assessments(url: str, trace_id: str) -> list[dict[str, Any]]:
    """What is said of a trace."""
    answer = requests.post(
        f"{url}/api/3.0/mlflow/traces/batchGetInfos", json={"trace_ids": [trace_id]}, timeout=TIMEOUT_S
    )
    answer.raise_for_status()
    (info,) = answer.json()["trace_infos"]
    return list(info.get("assessments", []))
