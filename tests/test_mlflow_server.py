"""The real MLflow server that other tests rely on."""

from __future__ import annotations

import pytest
import requests

from tests.mlflow_server import MlflowServer

pytestmark = pytest.mark.mlflow


def test_the_server_of_the_tests_answers_its_api(mlflow_server: MlflowServer) -> None:
    found = requests.get(
        f"{mlflow_server.url}/api/2.0/mlflow/experiments/search", {"max_results": "1000"}, timeout=30
    )
    assert "Default" in {one["name"] for one in found.json()["experiments"]}
