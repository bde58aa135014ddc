"""Column work on both cores: numpy lets other threads run while it sorts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

In = TypeVar("In")
Out = TypeVar("Out")


@cache
def _workers(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="figures")


def spread(work: Callable[[In], Out], items: Iterable[In], threads: int = 2) -> list[Out]:
    """``[work(item) for item in items]`` over the process's worker threads, in order.

    ``work`` must not call ``spread`` itself: workers waiting for workers would never finish.
    """
    return list(_workers(threads).map(work, items))
