from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget_model.domain.quantiles import nearest_rank
from budget_model.errors import FilterError
from budget_model.queries.columns import METRICS
from budget_model.queries.filters import EVERYTHING, Filter
from tests.queries.homes import START_US, Store, request


def test_durations_1_to_100_have_p99_99(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([request(f"r{i}", i) for i in range(1, 101)])
    (row,) = store.figures().percentiles(EVERYTHING, ("e2e",), (0.5, 0.95, 0.99))
    assert [estimate.value_ms for estimate in row.estimates] == [50, 95, 99]


def test_percentiles_of_two_files_come_from_the_rows_and_not_from_their_percentiles(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([request(f"a{i}", 100) for i in range(99)])
    store.add([request("b", 900)])
    (row,) = store.figures().percentiles(EVERYTHING, ("e2e",), (0.5,))
    assert (row.n, row.estimates[0].value_ms) == (100, 100)


def test_six_samples_show_their_n_and_carry_no_verdict(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([request(f"r{i}", 10 * i) for i in range(6)])
    (row,) = store.figures().percentiles(EVERYTHING, ("e2e",), (0.99,))
    (estimate,) = row.estimates
    assert (estimate.n, estimate.grade, estimate.value_ms) == (6, "C", 50)
    assert estimate.interval.high_ms is None


def test_failures_are_no_latency_samples_and_stand_beside_every_figure(tmp_path: Path) -> None:
    store = Store(tmp_path)
    rows = [request(f"ok{i}", 1000) for i in range(7)]
    store.add([*rows, *(request(f"f{i}", 15, outcome="failed") for i in range(3))])
    (row,) = store.figures().percentiles(EVERYTHING, ("e2e",), (0.5,))
    assert (row.n, row.failed, row.estimates[0].value_ms) == (7, 3, 1000)


@pytest.mark.parametrize("outcome", ["empty", "failed", "incomplete", "cancelled"])
def test_only_ok_requests_are_measured(tmp_path: Path, outcome: str) -> None:
    store = Store(tmp_path)
    store.add([request("good", 100, ttft_us=9000), request("other", 1, outcome=outcome, ttft_us=0)])
    rows = store.figures().percentiles(EVERYTHING, ("e2e", "ttft"), (0.5,))
    assert [row.estimates[0].value_ms for row in rows] == [100, 9]


def test_a_metric_nobody_recorded_is_missing_and_not_zero(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([request("a", 5), request("b", 6, ttft_us=2000)])
    ttft, tpot, itl = store.figures().percentiles(EVERYTHING, ("ttft", "tpot", "itl"), (0.5,))
    assert (ttft.n, ttft.missing, ttft.estimates[0].value_ms) == (1, 1, 2)
    assert (tpot.n, tpot.missing, tpot.estimates[0].value_ms, tpot.estimates[0].grade) == (0, 2, None, "-")
    assert (itl.n, itl.missing, itl.estimates[0].value_ms) == (0, 2, None)


def test_a_home_without_data_answers_every_metric_with_nothing(tmp_path: Path) -> None:
    rows = Store(tmp_path).figures().percentiles(EVERYTHING, METRICS, (0.99,))
    assert [row.metric for row in rows] == list(METRICS)
    assert {(row.n, row.estimates[0].value_ms) for row in rows} == {(0, None)}


def test_groups_come_in_label_order_with_requests_without_a_label_last(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add(
        [
            request("a", 1, tenant="zeta", region="eu"),
            request("b", 2, tenant="acme", region="us"),
            request("c", 3, tenant="acme", region="eu"),
            request("d", 4),
        ]
    )
    rows = store.figures().percentiles(EVERYTHING, ("e2e",), (0.5,), by=("tenant", "region"))
    assert [(row.group["tenant"], row.group["region"], row.estimates[0].value_ms) for row in rows] == [
        ("acme", "eu", 3),
        ("acme", "us", 2),
        ("zeta", "eu", 1),
        (None, None, 4),
    ]


def test_more_labels_than_fit_one_byte_are_kept_apart(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([request(f"r{i}", i, tenant=f"t{i:03d}") for i in range(300)])
    rows = store.figures().percentiles(EVERYTHING, ("e2e",), (0.5,), by=("tenant",))
    assert [(row.group["tenant"], row.estimates[0].value_ms) for row in rows] == [
        (f"t{i:03d}", i) for i in range(300)
    ]


def test_a_slow_hour_widens_the_interval_and_says_in_how_many_blocks_it_was_seen(tmp_path: Path) -> None:
    store = Store(tmp_path)
    rows = [
        request(f"r{i:04d}", 5000 - i if 400 <= i < 450 else 100 + i % 7, start_us=START_US + i)
        for i in range(2000)
    ]
    store.add(rows)
    timed = store.figures().percentiles(EVERYTHING, ("e2e",), (0.99,))[0].estimates[0]
    assert timed.blocks == 20
    assert timed.n_eff < timed.n == 2000
    other = Store(tmp_path / "untimed")
    other.folder.mkdir()
    other.add([row | {"start_us": None} for row in rows])
    untimed = other.figures().percentiles(EVERYTHING, ("e2e",), (0.99,))[0].estimates[0]
    assert (untimed.blocks, untimed.n_eff, untimed.value_ms) == (0, 2000, timed.value_ms)
    assert (timed.interval.low_ms or 0) < (untimed.interval.low_ms or 0)


def test_durations_beyond_half_an_hour_keep_their_microseconds(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([request("long", 90_000_000.001), request("longer", 90_000_000.002)])
    (row,) = store.figures().percentiles(EVERYTHING, ("e2e",), (0.5, 0.99))
    assert [estimate.value_ms for estimate in row.estimates] == [90_000_000.001, 90_000_000.002]


@pytest.mark.parametrize(
    ("metrics", "qs", "by"),
    [(("speed",), (0.5,), ()), (("e2e",), (1.0,), ()), (("e2e",), (0.5,), ("colour",))],
)
def test_what_does_not_exist_is_named(
    tmp_path: Path, metrics: tuple[str, ...], qs: tuple[float, ...], by: tuple[str, ...]
) -> None:
    with pytest.raises(FilterError, match=r"speed|100|colour"):
        Store(tmp_path).figures().percentiles(EVERYTHING, metrics, qs, by)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60), st.sampled_from([0.5, 0.95, 0.99]))
@settings(deadline=None, max_examples=25)
def test_a_percentile_is_the_kth_of_the_sorted_values(
    tmp_path_factory: pytest.TempPathFactory, values: list[int], q: float
) -> None:
    store = Store(tmp_path_factory.mktemp("segments"))
    store.add([request(f"r{i}", value, tenant="t") for i, value in enumerate(values)])
    (row,) = store.figures().percentiles(Filter(tenant=("t",)), ("e2e",), (q,))
    assert row.estimates[0].value_ms == sorted(values)[nearest_rank(len(values), q) - 1]
