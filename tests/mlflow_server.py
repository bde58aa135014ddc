"""A real MLflow server for tests, on an SQLite store or a PostgreSQL one, gone afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests

from tests.postgres import free_port

_START_SECONDS = 120


@dataclass(frozen=True, slots=True)
class MlflowServer:
    """A running server: its address, the URL of the database behind it, and its first process."""

    url: str
    database_url: str
    pid: int


def environment() -> dict[str, str]:
    """The surroundings in which MLflow tells nobody of its use."""
    return {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"}


@contextmanager
def serving(
    folder: Path, database_url: str = "", options: Sequence[str] = ("--workers", "1")
) -> Iterator[MlflowServer]:
    """A server whose artifacts, log and (unless given) database lie in ``folder``."""
    database_url = database_url or f"sqlite:///{folder}/mlflow.db"
    url = f"http://127.0.0.1:{(port := free_port())}"
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--backend-store-uri", database_url, "--artifacts-destination", str(folder / "artifacts")]
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(
            [*command, *options],
            stdout=log,
            stderr=log,
            env=environment(),
            cwd=folder,
            start_new_session=True,
        )
        try:
            _wait_until_healthy(url, server, folder / "server.log")
            yield MlflowServer(url, database_url, server.pid)
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(timeout=30)


def _wait_until_healthy(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            if requests.get(f"{url}/health", timeout=1).text == "OK":
                return
        except requests.RequestException:
            time.sleep(0.2)
    raise RuntimeError(f"the MLflow server did not start: {log.read_text()[-2000:]}")
