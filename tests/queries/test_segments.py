from __future__ import annotations

from pathlib import Path

import pytest

from budget_model.queries.filters import EVERYTHING, Filter
from budget_model.services.figures import Figures
from tests.queries.homes import Store, request


@pytest.fixture
def figures(tmp_path: Path) -> Figures:
    store = Store(tmp_path)
    quick = [request(f"q{i:03d}", hops={"decode": i}, tenant="quick") for i in range(1, 91)]
    slow = [request(f"s{i:03d}", hops={"queue": 1000 * i, "decode": 1}, tenant="slow") for i in range(1, 11)]
    other = [request("fail", 1, tenant="slow", outcome="failed"), request("odd", tenant=None)]
    store.add([*quick, *slow, *other])
    return store.figures()


def test_a_slow_segment_is_told_from_a_large_one(figures: Figures) -> None:
    found = figures.segments(EVERYTHING, "tenant", 0.9)
    assert [row.value for row in found.rows] == ["quick", "slow", None]
    quick, slow, unnamed = found.rows
    assert found.overall.value_ms == 90
    assert (quick.n, quick.failed, quick.tail_share, quick.estimate.value_ms) == (90, 0, 0, 81)
    assert (slow.n, slow.failed, slow.tail_share, slow.estimate.value_ms) == (10, 1, 1, 9001)
    assert slow.median_ms == 5001
    assert (unnamed.n, unnamed.missing, unnamed.estimate.value_ms) == (0, 1, None)
    assert sum(row.traffic_share for row in found.rows) == pytest.approx(1)


def test_without_a_tail_there_is_no_share_of_it(figures: Figures) -> None:
    found = figures.segments(Filter(tenant=("slow",)), "tenant", 0.99)
    assert found.rows[0].tail_share is None


def test_every_row_of_the_heat_map_adds_to_its_own_percentile(figures: Figures) -> None:
    found = figures.heat_map(EVERYTHING, "tenant", 0.9)
    assert found.hops == ("queue", "decode")
    assert found.values == ("quick", "slow", None)
    for cells, total in zip(found.cells_ms, found.totals, strict=True):
        known = [round(ms * 1000) for ms in cells if ms is not None]
        assert sum(known) == round((total.value_ms or 0) * 1000)


def test_a_hop_not_recorded_in_a_segment_is_unknown_there_and_not_zero(figures: Figures) -> None:
    found = figures.heat_map(EVERYTHING, "tenant", 0.9)
    assert found.cells_ms[0] == (None, 81)
    assert found.cells_ms[2] == (None, None)
    assert found.totals[2].value_ms is None


def test_a_heat_map_row_is_the_segments_waterfall(figures: Figures) -> None:
    row = figures.heat_map(EVERYTHING, "tenant", 0.9).cells_ms[1]
    bars = figures.waterfall(Filter(tenant=("slow",)), 0.9).bars
    assert row == tuple(bar.ms for bar in bars)
