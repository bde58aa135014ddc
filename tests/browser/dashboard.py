"""A real dashboard in a process of its own, started the way a user starts it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

PROGRAM = Path(sys.executable).with_name("tailbudget")
STARTS_WITHIN_S = 60


def tailbudget(*arguments: str | Path, home: Path) -> dict[str, Any]:
    """Run one command of ours with ``--json`` and give its answer."""
    command = [str(PROGRAM), *map(str, arguments), "--json", "--home", str(home)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode in (0, 1), done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def free_port() -> int:
    """A port nobody listens on at this moment."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


@dataclass
class Dashboard:
    """A running ``tailbudget serve``."""

    url: str
    home: Path
    process: subprocess.Popen[bytes]
    log: Path

    def stop(self) -> None:
        """End it as a terminal's Ctrl-C would, and its children with it."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait(timeout=20)


def start_dashboard(home: Path, log: Path) -> Dashboard:
    """Start ``tailbudget serve`` on a free port and wait until it answers."""
    port = free_port()
    env = {name: value for name, value in os.environ.items() if not name.startswith("TAILBUDGET_")}
    command = [str(PROGRAM), "serve", "--home", str(home), "--port", str(port), "--no-browser"]
    with log.open("wb") as words:
        process = _spawn(command, env, words)
    dashboard = Dashboard(f"http://127.0.0.1:{port}", home, process, log)
    try:
        _wait_until_healthy(dashboard)
    except BaseException:
        dashboard.stop()
        raise
    return dashboard


def _spawn(command: list[str], env: dict[str, str], words: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command, env=env, stdin=subprocess.DEVNULL, stdout=words, stderr=words, start_new_session=True
    )


def _wait_until_healthy(dashboard: Dashboard) -> None:
    deadline = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < deadline:
        if dashboard.process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{dashboard.url}/_stcore/health", timeout=2) as answer:
                if answer.read() == b"ok":
                    return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"the dashboard did not start: {dashboard.log.read_text(errors='replace')[-2000:]}")
