"""Putting spans into a real MLflow server, as an OTLP exporter would, and taking traces out of it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import requests

from tests.services.homes import write

TIMEOUT_S = 60


def experiment(url: str) -> str:
    """Id of a new experiment."""
    body = {"name": f"sync-{uuid.uuid4().hex}"}
    answer = requests.post(f"{url}/api/2.0/mlflow/experiments/create", json=body, timeout=TIMEOUT_S)
    answer.raise_for_status()
    return str(answer.json()["experiment_id"])


def post(url: str, experiment_id: str, spans: Sequence[dict[str, Any]], path: Path) -> Path:
    """Send OTLP spans; the file that holds the same is the answer."""
    file = write(path, spans, spans_a_line=200)
    for line in file.read_text().splitlines():
        headers = {"Content-Type": "application/json", "x-mlflow-experiment-id": experiment_id}
        answer = requests.post(f"{url}/v1/traces", data=line, headers=headers, timeout=TIMEOUT_S)
        assert answer.status_code == 200, answer.text
    return file


def delete(url: str, experiment_id: str, trace_ids: Sequence[str]) -> None:
    """Delete traces for good."""
    body = {"experiment_id": experiment_id, "request_ids": list(trace_ids)}
    answer = requests.post(f"{url}/api/2.0/mlflow/traces/delete-traces", json=body, timeout=TIMEOUT_S)
    assert answer.status_code == 200, answer.text
    assert json.loads(answer.text)["traces_deleted"] == len(trace_ids)
