"""The program a worker process runs: take a task, send what it yields, until the parent is gone."""

from __future__ import annotations

import gc
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

from budget_model.errors import TailbudgetError
from budget_model.services.lean import leave_pandas_out
from budget_model.services.workers import Broken, Done, Message, Refused, Task


def main(handle: int) -> None:
    """Serve the parent at the other end of the pipe ``handle``."""
    leave_pandas_out()
    # Ctrl-C reaches the whole process group; the parent decides what stops.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Left alone the collector walks all live spans again and again; the cycles that assembling a
    # trace leaves are young and dead when a batch is done.
    gc.disable()
    pipe: Connection[Any, Any] = Connection(handle)
    with _parent_may_go():
        while True:
            number, task = pipe.recv()
            pipe.send(_outcome(pipe, number, task))


def _outcome(pipe: Connection[Any, Any], number: int, task: Task) -> Done | Refused | Broken:
    try:
        for payload in task.run():
            pipe.send(Message(number, payload))
            gc.collect(0)
    except TailbudgetError as refusal:
        return Refused(refusal)
    except ConnectionError:
        raise
    except Exception:  # noqa: BLE001 whatever it is, the parent shows it
        return Broken(traceback.format_exc())
    return Done(number)


@contextmanager
def _parent_may_go() -> Iterator[None]:
    try:
        yield
    except (EOFError, ConnectionError):
        return


if __name__ == "__main__":
    main(int(sys.argv[1]))
