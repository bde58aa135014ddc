from __future__ import annotations

from pathlib import Path

import pytest

from budget_model.errors import FilterError
from budget_model.queries.filters import EVERYTHING, Filter
from tests.queries.homes import START_US, Store, request


def test_every_token_step_counts_once_however_long_the_answer(tmp_path: Path) -> None:
    store = Store(tmp_path)
    gaps = [("short", 50_000, 1), ("long", 10_000, 8), ("long", 45_000, 1)]
    store.add([request("short", 100), request("long", 200)], gaps=gaps)
    (row,) = store.figures().percentiles(EVERYTHING, ("itl",), (0.5, 0.8, 0.9, 0.99))
    assert [estimate.value_ms for estimate in row.estimates] == [10, 10, 45, 50]
    assert row.n == 2
    assert row.estimates[0].n == 10


def test_gaps_of_failed_filtered_and_replaced_requests_are_left_out(tmp_path: Path) -> None:
    store = Store(tmp_path)
    rows = [request("a", 1, tenant="x"), request("bad", 1, outcome="failed", tenant="x"), request("c", 1)]
    store.add(rows, gaps=[("a", 1000, 1), ("bad", 2000, 1), ("c", 3000, 1)])
    store.add([request("a", 1, tenant="x")], gaps=[("a", 7000, 2)], superseded=["a"])
    (row,) = store.figures().percentiles(Filter(tenant=("x",)), ("itl",), (0.5,))
    assert (row.n, row.missing, row.estimates[0].n, row.estimates[0].value_ms) == (1, 0, 2, 7)


def test_slow_steps_in_one_stretch_of_time_are_worth_fewer(tmp_path: Path) -> None:
    store = Store(tmp_path)
    names = [f"r{i:03d}" for i in range(400)]
    gaps = [(name, 90_000 + i if i < 40 else 10_000 + i, 5) for i, name in enumerate(names)]
    store.add([request(name, 1, start_us=START_US + i) for i, name in enumerate(names)], gaps=gaps)
    (row,) = store.figures().percentiles(EVERYTHING, ("itl",), (0.95,))
    assert row.estimates[0].blocks == 20
    assert row.estimates[0].n_eff < row.estimates[0].n == 2000


def test_token_gaps_have_no_series(tmp_path: Path) -> None:
    with pytest.raises(FilterError, match="tpot"):
        Store(tmp_path).figures().series(EVERYTHING, "itl")
