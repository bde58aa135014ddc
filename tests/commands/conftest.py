"""Homes that hold a lattice, imported once and only read by the tests that share them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.commands.homes import run
from tests.lattice import write_lattice

Lattices = Callable[[str], Path]


@pytest.fixture(scope="session")
def lattice_home(tmp_path_factory: pytest.TempPathFactory) -> Lattices:
    """The home of a variant: ``indep``, ``load`` or ``comon``. Not to be written to."""

    @cache
    def home(variant: str) -> Path:
        folder = tmp_path_factory.mktemp(variant)
        log = write_lattice(folder / "log.parquet", variant, "parquet")
        done = run(folder / "home", "import", str(log), "--json")
        assert done.exit_code == 0, done.output
        return folder / "home"

    return home


@pytest.fixture
def own_home(lattice_home: Lattices, tmp_path: Path) -> Path:
    """A copy of the ``load`` home that a test may write to."""
    return Path(shutil.copytree(lattice_home("load"), tmp_path / "home"))
