"""Putting prompts into a real MLflow server, and linking them to its traces."""

from __future__ import annotations

import json
import uuid
from typing import Any

import requests

from tests.services.mlflow_posting import TIMEOUT_S


def prompt(url: str, *texts: str | list[dict[str, str]]) -> str:
    """The name of a new prompt whose versions 1, 2 ... have these texts, or messages of a chat."""
    name = f"it.s-{uuid.uuid4().hex[:12]}"  # PostgreSQL holds links to names of some 30 characters
    mark = {"key": "mlflow.prompt.is_prompt", "value": "true"}
    _post(url, "registered-models/create", {"name": name, "tags": [mark]})
    for text in texts:
        is_chat = isinstance(text, list)
        tags = [
            mark,
            {"key": "mlflow.prompt.text", "value": json.dumps(text) if is_chat else text},
            {"key": "_mlflow_prompt_type", "value": "chat" if is_chat else "text"},
        ]
        _post(url, "model-versions/create", {"name": name, "source": "dummy-source", "tags": tags})
    return name


def model(url: str) -> str:
    """The name of a new registered model, which is no prompt, with one version."""
    name = f"model-{uuid.uuid4().hex}"
    _post(url, "registered-models/create", {"name": name})
    _post(url, "model-versions/create", {"name": name, "source": "s3://bucket/m"})
    return name


def delete_version(url: str, name: str, version: str) -> None:
    """Delete one version."""
    body = {"name": name, "version": version}
    answer = requests.delete(f"{url}/api/2.0/mlflow/model-versions/delete", json=body, timeout=TIMEOUT_S)
    assert answer.status_code == 200, answer.text


def link(url: str, trace_id: str, *versions: tuple[str, str]) -> None:
    """Link prompt versions to a trace in the table of associations alone, without the tag."""
    listed = [{"name": name, "version": version} for name, version in versions]
    _post(url, "traces/link-prompts", {"trace_id": trace_id, "prompt_versions": listed})


def tag(url: str, trace_id: str, *versions: tuple[str, str]) -> None:
    """Name prompt versions in the tag of a trace."""
    listed = [{"name": name, "version": version} for name, version in versions]
    body = {"key": "mlflow.linkedPrompts", "value": json.dumps(listed)}
    answer = requests.patch(f"{url}/api/2.0/mlflow/traces/{trace_id}/tags", json=body, timeout=TIMEOUT_S)
    assert answer.status_code == 200, answer.text


def _post(url: str, path: str, body: dict[str, Any]) -> None:
    answer = requests.post(f"{url}/api/2.0/mlflow/{path}", json=body, timeout=TIMEOUT_S)
    assert answer.status_code == 200, answer.text
