"""The lines for MLflow, run by MLflow against a real server."""

from __future__ import annotations

import json
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from budget_model.services.coverage import Coverage, service_coverage
from budget_model.services.coverage_gaps import KINDS
from budget_model.services.instrument_lines import LINES
from budget_model.services.mlflow_report import SyncRequest
from budget_model.services.mlflow_sync import sync_mlflow
from budget_model.services.workspace import Workspace
from tests.mlflow_server import MlflowServer, environment
from tests.services.homes import home

pytestmark = pytest.mark.mlflow


def covered(server: MlflowServer, folder: Path, lines: list[str]) -> Coverage:
    """What comes in of one bare request with ``lines`` in it."""
    name = f"lines-{uuid.uuid4().hex}"
    done = subprocess.run(
        [sys.executable, "-m", "tests.examples.bare_service"],
        input=json.dumps(lines),
        env=environment() | {"MLFLOW_TRACKING_URI": server.url, "MLFLOW_EXPERIMENT_NAME": name},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    at = home(folder, workers=1)
    assert sync_mlflow(at, SyncRequest(server.url, (name,))).error == ""
    workspace = Workspace(at)
    try:
        return service_coverage(workspace)
    finally:
        workspace.close()


def test_the_mlflow_lines_add_all_that_a_bare_service_lacks(
    tmp_path: Path, mlflow_server: MlflowServer
) -> None:
    [bare] = covered(mlflow_server, tmp_path / "bare", []).services
    assert {gap.code for gap in bare.gaps} == KINDS.keys() - {"model_call"}
    found = covered(mlflow_server, tmp_path / "whole", [lines.mlflow for lines in LINES.values()])
    codes = {gap.code for one in found.services for gap in one.gaps}
    # Each line names the span it stands on; the others keep none, which is what the gap says.
    assert codes <= {"service_name"}
    assert "rag-server" in {one.service for one in found.services}
