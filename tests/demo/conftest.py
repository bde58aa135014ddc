"""One full simulation for the stories, one small one for what is written; both are made once."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from budget_model.demo.files import write_files
from budget_model.demo.timeline import Simulation, simulate

NOW_NS = int(datetime(2026, 12, 1, 3, 20, tzinfo=UTC).timestamp()) * 1_000_000_000
SMALL = 2_000


@pytest.fixture(scope="session", params=[0, 109], ids=["tuesday", "saturday"])
def full(request: pytest.FixtureRequest) -> Simulation:
    """The demo as it is loaded, seen from two moments of a week: weekends lie elsewhere in its two weeks."""
    hours: int = request.param
    return simulate(NOW_NS + hours * 3_600_000_000_000)


@pytest.fixture(scope="session")
def small() -> Simulation:
    """The same service with fewer requests."""
    return simulate(NOW_NS, requests=SMALL)


@pytest.fixture(scope="session")
def small_files(small: Simulation, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The small simulation as files."""
    return write(small, tmp_path_factory.mktemp("small-demo"))


def write(sim: Simulation, folder: Path) -> list[Path]:
    """Write a simulation under plain names."""
    return write_files(sim, folder, lambda day: f"{day}.jsonl", lambda _path, _done, _all: None)
