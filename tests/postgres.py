"""A real PostgreSQL for tests: a cluster of its own in a temporary folder, gone afterwards."""

from __future__ import annotations

import os
import pwd
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg

from scripts.ensure_programs import PROGRAMS, find

NOT_FOUND = PROGRAMS["postgresql"].advice
_START_SECONDS = 30


def find_binaries() -> Path | None:
    """The folder of initdb and postgres, on PATH or where Debian puts them; newest version first."""
    found = find(PROGRAMS["postgresql"], os.environ)
    return None if found is None else Path(found).resolve().parent


@contextmanager
def cluster(binaries: Path) -> Iterator[str]:
    """URL of a running server's empty database; the server refuses to run as root, so root steps down."""
    user = _unprivileged()
    with tempfile.TemporaryDirectory(prefix="tailbudget-pg-") as scratch:
        data = Path(scratch) / "data"
        if user is not None:
            os.chown(scratch, user.pw_uid, user.pw_gid)
        port = free_port()
        _run([binaries / "initdb", "-D", data, "-U", "tailbudget", "--auth=trust", "--no-sync"], user)
        command = [binaries / "postgres", "-D", data, "-p", port, "-k", scratch, "-h", "127.0.0.1", "-F"]
        server = subprocess.Popen(
            list(map(str, command)),
            stderr=subprocess.DEVNULL,
            **_identity(user),  # type: ignore[call-overload]
        )
        try:
            url = f"postgresql://tailbudget@127.0.0.1:{port}/postgres"
            _wait_until_ready(url, server)
            yield url
        finally:
            server.terminate()
            server.wait(timeout=_START_SECONDS)


def _unprivileged() -> pwd.struct_passwd | None:
    return None if os.geteuid() else pwd.getpwnam("nobody")


def _identity(user: pwd.struct_passwd | None) -> dict[str, int]:
    return {} if user is None else {"user": user.pw_uid, "group": user.pw_gid}


def _run(command: list[object], user: pwd.struct_passwd | None) -> None:
    subprocess.run(
        list(map(str, command)),
        check=True,
        capture_output=True,
        **_identity(user),  # type: ignore[call-overload]
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_ready(url: str, server: subprocess.Popen[bytes]) -> None:
    """An open port is not enough: while it starts up, a server takes connections and refuses them."""
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        with suppress(psycopg.OperationalError):
            psycopg.connect(url, connect_timeout=5).close()
            return
        time.sleep(0.05)
    raise RuntimeError("PostgreSQL did not start")
