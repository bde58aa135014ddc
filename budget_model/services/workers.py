"""A few processes that run tasks and report back, or the same tasks in this process when small.

Workers are started as ``python -m budget_model.services.worker_main`` rather than with
``multiprocessing``: a child of that would run the program's main script again, which under the
dashboard is a page. A worker ends by itself when its parent is gone, however the parent died.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from threading import Event
from types import TracebackType
from typing import Any, Protocol, Self, TypeAlias, cast

from budget_model.errors import Cancelled, TailbudgetError

_LOOK_AGAIN_S = 0.1

_Pipe: TypeAlias = "Connection[Any, Any]"


class Task(Protocol):
    """A picklable piece of work that yields picklable messages."""

    def run(self) -> Iterator[Any]:
        """Do the work; what it raises ends the whole run."""
        ...


@dataclass(frozen=True, slots=True)
class Message:
    """What task number ``task`` yielded."""

    task: int
    payload: Any


@dataclass(frozen=True, slots=True)
class Done:
    """Task number ``task`` is finished."""

    task: int


@dataclass(frozen=True, slots=True)
class Refused:
    """The task met something understood; its kind and its one sentence."""

    error: TailbudgetError


@dataclass(frozen=True, slots=True)
class Broken:
    """The task met a bug; the worker's traceback as text."""

    traceback: str


OnMessage = Callable[[Message], None]


class WorkerFailedError(RuntimeError):
    """A bug inside a worker, or a worker that died; carries what is known of it."""


class Pool:
    """Up to ``size`` workers, started when first needed and ended with the block.

    With ``size`` 0 tasks run in this process.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._workers: list[_Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End all workers now; the next run starts new ones."""
        for worker in self._workers:
            worker.end()
        self._workers = []

    def start(self) -> None:
        """Start all workers now, so that they load while this process does something else."""
        while len(self._workers) < self._size:
            self._workers.append(_Worker())

    def run(
        self,
        tasks: Sequence[Task],
        on_message: OnMessage,
        cancel: Event | None = None,
        in_process: bool = False,
    ) -> None:
        """Run all tasks, in any order, and hand over every message in this thread.

        Raises what a task raised when that is a TailbudgetError, Cancelled when ``cancel`` is set,
        WorkerFailedError for a bug. After any of these no task of the run is going on.
        """
        if in_process or self._size == 0:
            _run_here(tasks, on_message, cancel)
            return
        with _stopping(self):
            self._run(tasks, on_message, cancel)

    def _run(self, tasks: Sequence[Task], on_message: OnMessage, cancel: Event | None) -> None:
        waiting = list(enumerate(tasks))[::-1]
        while len(self._workers) < min(self._size, len(tasks)):
            self._workers.append(_Worker())
        idle = {worker.pipe: worker for worker in self._workers}
        busy: dict[_Pipe, _Worker] = {}
        while waiting or busy:
            while waiting and idle:
                pipe, worker = idle.popitem()
                pipe.send(waiting.pop())
                busy[pipe] = worker
            check(cancel)
            for ready in cast("list[_Pipe]", wait(list(busy), _LOOK_AGAIN_S)):
                answer = busy[ready].answer()
                if isinstance(answer, Done):
                    idle[ready] = busy.pop(ready)
                else:
                    on_message(answer)


def check(cancel: Event | None) -> None:
    """Raises Cancelled when ``cancel`` is set."""
    if cancel is not None and cancel.is_set():
        raise Cancelled("stopped; nothing of it was kept")


@contextmanager
def _stopping(pool: Pool) -> Iterator[None]:
    # After a failure the other workers are in the middle of tasks that nobody wants any more.
    try:
        yield
    except BaseException:
        pool.stop()
        raise


def _run_here(tasks: Sequence[Task], on_message: OnMessage, cancel: Event | None) -> None:
    for number, task in enumerate(tasks):
        check(cancel)
        for payload in task.run():
            on_message(Message(number, payload))
            check(cancel)


class _Worker:
    def __init__(self) -> None:
        self.pipe, theirs = Pipe()
        command = [sys.executable, "-m", "budget_model.services.worker_main", str(theirs.fileno())]
        self._process = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        theirs.close()

    def answer(self) -> Message | Done:
        try:
            answer = self.pipe.recv()
        except (EOFError, ConnectionError):
            code = self._process.wait()
            raise WorkerFailedError(
                f"a worker process ended with {code}; if the system ended it for want of memory, "
                "set TAILBUDGET_WORKERS=1"
            ) from None
        if isinstance(answer, Refused):
            raise answer.error
        if isinstance(answer, Broken):
            raise WorkerFailedError(f"a bug in a worker:\n{answer.traceback}")
        return answer  # type: ignore[no-any-return]

    def end(self) -> None:
        self.pipe.close()
        self._process.kill()
        with suppress(OSError):
            self._process.wait()
