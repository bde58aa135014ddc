"""Real processes: killed at any moment, or two at once. What is there afterwards is whole imports."""

from __future__ import annotations

import multiprocessing
import random
import time
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest

from budget_model.services.importing import import_files
from budget_model.store.ledger import Ledger
from tests.services.homes import home, requests_of, run_command, stored_spans, traces, write

KILLS = 30
REQUESTS = 60


@pytest.fixture(scope="module", autouse=True)
def _started_once() -> None:
    # Every import is a process of its own; they are forked from one that has loaded the program.
    multiprocessing.get_context("forkserver").set_forkserver_preload(["budget_model.commands.import_"])


def start(folder: Path, *files: Path) -> ForkServerProcess:
    arguments = ["import", *map(str, files), "--home", str(folder)]
    process = multiprocessing.get_context("forkserver").Process(target=run_command, args=(arguments,))
    process.start()
    return process


def finish(process: ForkServerProcess) -> int | None:
    process.join()
    return process.exitcode


def test_an_import_killed_at_any_moment_leaves_whole_imports_only(tmp_path: Path) -> None:
    numbers = [range(n * REQUESTS, (n + 1) * REQUESTS) for n in range(KILLS + 1)]
    files = [write(tmp_path / f"{n}.jsonl", traces(one)) for n, one in enumerate(numbers)]
    finish(start(tmp_path / "first", files[0]))
    began = time.monotonic()
    assert finish(start(tmp_path / "measured", files[0])) == 0
    whole_s = time.monotonic() - began
    at, chance = home(tmp_path / "home"), random.Random(20251201)
    for number in range(KILLS):
        process = start(at.home, files[number])
        time.sleep(chance.uniform(0.0, 1.0) * whole_s)
        process.kill()
        process.join()
        assert requests_of(at).num_rows % REQUESTS == 0
        assert stored_spans(at) == 4 * requests_of(at).num_rows
    import_files(at, files)
    assert requests_of(at).num_rows == (KILLS + 1) * REQUESTS
    ledger = Ledger(at)
    named = {ref.path.name for ref in ledger.manifest().segments}
    ledger.close()
    on_disk = {path.name for path in at.segments_dir.iterdir()}
    assert named <= on_disk
    assert not [name for name in on_disk if name.startswith(".")]


def test_two_importers_at_once_both_succeed_and_lose_nothing(tmp_path: Path) -> None:
    at, rounds = home(tmp_path / "home"), 10
    for number in range(rounds):
        files = [write(tmp_path / f"{number}-{n}", traces([number * 2 + n])) for n in range(2)]
        both = [start(at.home, file) for file in files]
        assert [finish(one) for one in both] == [0, 0]
    assert requests_of(at).num_rows == 2 * rounds


def test_two_importers_of_the_same_file_count_it_once(tmp_path: Path) -> None:
    at = home(tmp_path / "home")
    file = write(tmp_path / "same", traces(range(50)))
    both = [start(at.home, file) for _ in range(2)]
    assert [finish(one) for one in both] == [0, 0]
    assert (requests_of(at).num_rows, stored_spans(at)) == (50, 200)
