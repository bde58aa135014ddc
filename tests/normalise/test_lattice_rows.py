from __future__ import annotations

import math
from pathlib import Path

import pytest

from budget_model.domain.hops import HOPS as ALL_HOPS
from tests.imported import imported
from tests.lattice import HOPS, lattice_ms, write_lattice


@pytest.mark.parametrize("container", ["csv", "jsonl", "parquet"])
def test_a_row_keeps_its_values_to_a_microsecond(tmp_path: Path, container: str) -> None:
    facts = imported(write_lattice(tmp_path / "log", "load", container, n=500)).facts
    for fact, values in zip(facts, lattice_ms("load", 500), strict=True):
        path = dict(zip((hop.value for hop in ALL_HOPS), fact.path_us, strict=True))
        for hop, ms in zip(HOPS, values, strict=True):
            us = path[hop]
            assert us is not None
            assert abs(us - ms * 1000) < 1
        assert sum(us for us in fact.path_us if us is not None) == fact.e2e_us


def test_the_end_to_end_p99_is_the_published_one(tmp_path: Path) -> None:
    e2e = sorted(fact.e2e_us or 0 for fact in imported(write_lattice(tmp_path / "log", "load")).facts)
    rank = math.ceil(len(e2e) * 0.99 - 1e-9)
    assert e2e[rank - 1] / 1000 == pytest.approx(5639.142, abs=1e-3)
