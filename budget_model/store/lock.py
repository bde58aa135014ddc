"""One writer at a time for one home. Readers never come here.

The lock is the operating system's, on an open file: it is gone the moment its holder dies, so a
killed import blocks nobody. The file's content only tells others whom they wait for.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import IO

from budget_model.errors import Cancelled, StoreBusyError, StoreError

_LOOK_AGAIN_S = 0.1

_GLANCE_S = 1.0
"""Longer than anyone holds a sync's lock only to see whether it is held."""


@contextmanager
def writer_lock(
    home: Path,
    *,
    wait: bool = True,
    cancel: Event | None = None,
    on_wait: Callable[[str], None] | None = None,
) -> Iterator[None]:
    """Hold the home's writer lock for the length of the block.

    While another process holds it, ``on_wait`` is told once who that is, and the call waits; with
    ``wait`` False it raises StoreBusyError instead. Raises Cancelled when ``cancel`` is set meanwhile.
    """
    with _opened(home, "writer.lock") as file:
        told = False
        while not _taken(file):
            holder = _holder(file)
            if not wait:
                raise StoreBusyError(f"{holder} is writing to {home}; try again when it is done")
            if on_wait is not None and not told:
                on_wait(f"waiting for {holder}, which is writing to {home}")
                told = True
            if cancel is not None and cancel.wait(_LOOK_AGAIN_S):
                raise Cancelled("stopped while waiting for another import; nothing was imported")
            if cancel is None:
                time.sleep(_LOOK_AGAIN_S)
        _sign(file)
        yield


@contextmanager
def sync_lock(home: Path, source_id: int) -> Iterator[None]:
    """One sync of a source at a time; what it brings in is written under the writer lock as well.

    Raises StoreBusyError naming the process that syncs the source.
    """
    with _opened(home, _sync_name(source_id)) as file:
        until = time.monotonic() + _GLANCE_S
        while not _taken(file):
            if time.monotonic() > until:
                raise StoreBusyError(f"{_holder(file)} is syncing this source at the moment")
            time.sleep(_LOOK_AGAIN_S)
        _sign(file)
        yield


def is_syncing(home: Path, source_id: int) -> bool:
    """Whether a living process holds the source's lock."""
    if not (home / _sync_name(source_id)).exists():
        return False
    with _opened(home, _sync_name(source_id)) as file:
        return not _taken(file)


def _sync_name(source_id: int) -> str:
    return f"sync-{source_id}.lock"


def _opened(home: Path, name: str) -> IO[str]:
    try:
        home.mkdir(parents=True, exist_ok=True)
        return (home / name).open("a+", encoding="ascii")
    except OSError as problem:
        raise StoreError(f"{home} cannot be written to: {problem.strerror}") from problem


def _taken(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sign(file: IO[str]) -> None:
    file.seek(0)
    file.truncate()
    file.write(str(os.getpid()))
    file.flush()


def _holder(file: IO[str]) -> str:
    file.seek(0)
    pid = file.read(20).strip()
    return f"process {pid}" if pid.isdecimal() else "another process"
