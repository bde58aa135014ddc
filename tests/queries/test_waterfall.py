from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget_model.domain.hops import HOPS
from budget_model.queries.filters import EVERYTHING
from budget_model.queries.results import Waterfall
from tests.domain.lattices import lattice
from tests.queries.homes import Store, request

HOP_P99_MS = (42.899, 374.594, 37.480, 552.106, 623.985, 1017.171, 3747.969, 72.766)


def lattice_waterfall(folder: Path, variant: str, q: float) -> Waterfall:
    store = Store(folder)
    table_ms = lattice(variant).hops[:, :8] / 1000
    store.add([of_hops(hops, f"r{i:05d}") for i, hops in enumerate(table_ms.tolist())])
    return store.figures().waterfall(EVERYTHING, q)


def of_hops(hops: Sequence[float], request_id: str) -> dict[str, object]:
    return request(request_id, hops={str(hop): ms for hop, ms in zip(HOPS, hops, strict=False)})


def total_us(found: Waterfall) -> int:
    return sum(round(bar.ms * 1000) for bar in found.bars)


def test_independent_hops_at_p99(tmp_path: Path) -> None:
    found = lattice_waterfall(tmp_path, "indep", 0.99)
    assert found.estimate.value_ms == pytest.approx(4415.079, rel=1e-3)
    assert found.window.rank == 9907
    assert found.window.half_width == 50
    assert found.window.mean_ms == pytest.approx(4433.6396, rel=1e-3)
    assert found.window.factor == pytest.approx(0.995814, rel=1e-3)
    bars = [17.786, 83.160, 13.199, 164.920, 92.393, 416.997, 3604.550, 22.075]
    assert [bar.ms for bar in found.bars] == pytest.approx(bars, rel=1e-3)
    assert [bar.printed_ms for bar in found.bars] == [18, 83, 13, 165, 92, 417, 3605, 22]
    assert found.printed_total_ms == 4415
    assert [bar.own_quantile_ms for bar in found.bars] == pytest.approx(HOP_P99_MS, rel=1e-3)
    assert found.sum_of_own_quantiles_ms == pytest.approx(6468.970, rel=1e-3)
    assert found.estimate.interval.low_ms == pytest.approx(4331.652, rel=1e-3)
    assert found.estimate.interval.high_ms == pytest.approx(4528.998, rel=1e-3)
    assert found.estimate.grade == "A"


def test_hops_that_share_a_load_at_p99(tmp_path: Path) -> None:
    found = lattice_waterfall(tmp_path, "load", 0.99)
    assert found.estimate.value_ms == pytest.approx(5639.142, rel=1e-3)
    assert found.window.factor == pytest.approx(0.993979, rel=1e-3)
    bars = [17.473, 71.077, 13.128, 128.799, 630.678, 1016.264, 3738.530, 23.193]
    assert [bar.ms for bar in found.bars] == pytest.approx(bars, rel=1e-3)
    assert sum(bar.printed_ms for bar in found.bars) == found.printed_total_ms == 5639
    assert found.sum_of_own_quantiles_ms == pytest.approx(6468.970, rel=1e-3)
    assert found.estimate.interval.low_ms == pytest.approx(5460.662, rel=1e-3)
    assert found.estimate.interval.high_ms == pytest.approx(5836.220, rel=1e-3)


def test_the_queue_is_a_hundredth_of_the_median(tmp_path: Path) -> None:
    found = lattice_waterfall(tmp_path, "load", 0.5)
    assert found.estimate.value_ms == pytest.approx(1690.9163, rel=1e-3)
    bars = [17.904, 80.245, 14.619, 146.569, 19.801, 216.376, 1171.036, 24.366]
    assert [bar.ms for bar in found.bars] == pytest.approx(bars, rel=1e-3)


def test_only_hops_that_rise_together_have_percentiles_that_add(tmp_path: Path) -> None:
    found = lattice_waterfall(tmp_path, "comon", 0.99)
    assert found.estimate.value_ms == pytest.approx(6468.970, rel=1e-3)
    assert found.sum_of_own_quantiles_ms == pytest.approx(6468.970, rel=1e-3)


def test_a_hop_nobody_recorded_has_no_bar_and_one_recorded_outside_the_window_has_an_empty_one(
    tmp_path: Path,
) -> None:
    store = Store(tmp_path)
    slow = [request(f"slow{i}", hops={"decode": 1000 + i}) for i in range(20)]
    store.add([request("quick", hops={"decode": 1, "retrieval": 5}), *slow])
    found = store.figures().waterfall(EVERYTHING, 0.5)
    assert [(bar.hop, bar.instrumented) for bar in found.bars] == [("retrieval", 0), ("decode", 5)]
    assert found.bars[0].ms == 0
    assert found.bars[0].own_quantile_ms == 5


def test_a_single_request_is_its_own_window(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([request("only", hops={"queue": 10, "decode": 90})])
    found = store.figures().waterfall(EVERYTHING, 0.99)
    assert found.window.size == 1
    assert [(bar.hop, bar.ms) for bar in found.bars] == [("queue", 10), ("decode", 90)]
    assert found.estimate.grade == "C"
    assert found.estimate.interval.high_ms is None


def test_without_an_ok_request_there_is_no_figure_but_the_failures_are_counted(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([request("a", 5, outcome="failed"), request("b", outcome="ok")])
    found = store.figures().waterfall(EVERYTHING, 0.99)
    assert (found.n, found.failed, found.missing, found.bars) == (0, 1, 1, ())
    assert found.estimate.value_ms is None
    assert found.sum_of_own_quantiles_ms is None


TABLES = st.lists(st.lists(st.integers(0, 50).map(float), min_size=4, max_size=4), min_size=1, max_size=40)


@given(TABLES, st.sampled_from([0.5, 0.9, 0.99]), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=25)
def test_bars_add_exactly_print_to_the_printed_total_and_do_not_depend_on_row_order(
    tmp_path_factory: pytest.TempPathFactory, table: list[list[float]], q: float, shuffler: random.Random
) -> None:
    rows = [of_hops(hops, f"r{i:03d}") for i, hops in enumerate(table)]
    shuffled = rows.copy()
    shuffler.shuffle(shuffled)
    found = []
    for order in (rows, shuffled):
        store = Store(tmp_path_factory.mktemp("segments"))
        store.add(order)
        found.append(store.figures().waterfall(EVERYTHING, q))
    assert found[0] == found[1]
    value_ms = found[0].estimate.value_ms
    assert value_ms is not None
    assert total_us(found[0]) == round(value_ms * 1000)
    assert sum(bar.printed_ms for bar in found[0].bars) == found[0].printed_total_ms


@given(TABLES, st.sampled_from([(0.5, 0.99), (0.5, 0.9), (0.9, 0.5)]))
@settings(deadline=None, max_examples=15)
def test_deltas_add_to_the_difference_of_the_totals(
    tmp_path_factory: pytest.TempPathFactory, table: list[list[float]], qs: tuple[float, float]
) -> None:
    store = Store(tmp_path_factory.mktemp("segments"))
    store.add([of_hops(hops, f"r{i:03d}") for i, hops in enumerate(table)])
    found = store.figures().difference(EVERYTHING, *qs)
    deltas_us = sum(round(bar.delta_ms * 1000) for bar in found.bars)
    assert deltas_us == total_us(found.high) - total_us(found.low)
    assert sum(bar.printed_delta_ms for bar in found.bars) == found.printed_total_ms
    assert found.printed_total_ms == found.high.printed_total_ms - found.low.printed_total_ms
