"""Run a program and watch it: wall time, and the peak memory of it and all its children."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

SAMPLE_EVERY_S = 0.02
PROC = Path("/proc")


class BenchFailedError(Exception):
    """A measured program ended with an error, so there is no figure."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One run. ``peak_mb`` is None where the system does not tell (no ``/proc``).

    ``cpu_s`` is the processor time of the program and of all children it waited for, which a busy
    machine changes far less than the wall time.
    """

    wall_s: float
    peak_mb: float | None
    stdout: str
    cpu_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Summary:
    """Medians over runs, with the spread of the wall time."""

    wall_s: float
    fastest_s: float
    slowest_s: float
    peak_mb: float | None
    cpu_s: float = 0.0


def run(command: Sequence[str], env: Mapping[str, str]) -> Measured:
    """Run ``command`` in a process of its own.

    Memory is the sum of the resident sets of the process and its descendants, sampled fifty times
    a second; pages shared between them count once for each, so several workers look larger than
    they are, never smaller. Raises BenchFailedError with the program's last words.
    """
    start, cpu_before = time.perf_counter(), _cpu_s()
    process = subprocess.Popen(
        command, env=dict(env), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    peak_kb = 0
    while process.poll() is None:
        peak_kb = max(peak_kb, _tree_kb(process.pid))
        time.sleep(SAMPLE_EVERY_S)
    wall = time.perf_counter() - start
    stdout, stderr = process.communicate()
    if process.returncode != 0:
        raise BenchFailedError(
            f"{' '.join(command[:4])} ended with {process.returncode}: {stderr.strip()[-2000:]}"
        )
    return Measured(wall, peak_kb / 1024 if PROC.is_dir() else None, stdout, _cpu_s() - cpu_before)


def summarise(runs: Sequence[Measured]) -> Summary:
    """Medians of several runs."""
    walls = [one.wall_s for one in runs]
    peaks = [one.peak_mb for one in runs if one.peak_mb is not None]
    cpu_s = median([one.cpu_s for one in runs])
    return Summary(median(walls), min(walls), max(walls), median(peaks) if peaks else None, cpu_s)


def tree_cpu_s(root: int) -> float | None:
    """Processor time that ``root`` and its living descendants used so far; None where nothing tells."""
    if not PROC.is_dir():
        return None
    return sum(map(_used_s, _tree(root)))


def _used_s(pid: int) -> float:
    try:
        told = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")  # user and system time


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _tree_kb(root: int) -> int:
    """Resident kilobytes of ``root`` and its descendants; a process that just ended counts nothing."""
    return sum(map(_resident_kb, _tree(root)))


def _tree(root: int) -> Iterator[int]:
    waiting = [root]
    while waiting:
        yield (pid := waiting.pop())
        waiting += _children(pid)


def _resident_kb(pid: int) -> int:
    try:
        pages = int((PROC / str(pid) / "statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def _children(pid: int) -> list[int]:
    try:
        tasks = list((PROC / str(pid) / "task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return []
