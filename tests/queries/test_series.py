from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from budget_model.queries.filters import EVERYTHING, Filter
from budget_model.queries.time_widths import (
    DAY_US,
    HOUR_US,
    MINUTE_US,
    MOST_BUCKETS,
    SECOND_US,
    WEEK_US,
    WIDTHS_US,
    bucket_start,
    nice_width,
)
from tests.queries.homes import START_US, Store, request


def us(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1_000_000


def test_seven_days_from_monday_to_sunday_are_one_week(tmp_path: Path) -> None:
    store = Store(tmp_path)
    monday = datetime(2026, 11, 30, 12, tzinfo=UTC)
    days = [int((monday + timedelta(days=day)).timestamp()) * 1_000_000 for day in range(7)]
    store.add([request(f"d{i}", 100 + i, start_us=day) for i, day in enumerate(days)])
    found = store.figures().series(EVERYTHING, "e2e", width_us=WEEK_US)
    assert [(point.start_us, point.n) for point in found.points] == [(us("2026-11-30"), 7)]


def test_hours_without_requests_are_points_without_a_value(tmp_path: Path) -> None:
    store = Store(tmp_path)
    at = [START_US, START_US + 3 * HOUR_US]
    store.add([request("a", 10, start_us=at[0]), request("b", 30, start_us=at[1])])
    found = store.figures().series(EVERYTHING, "e2e", width_us=HOUR_US)
    assert [point.n for point in found.points] == [1, 0, 0, 1]
    assert [point.p99_ms for point in found.points] == [10, None, None, 30]
    assert [point.grade for point in found.points] == ["C", "-", "-", "C"]
    assert [point.start_us - START_US for point in found.points] == [0, HOUR_US, 2 * HOUR_US, 3 * HOUR_US]


def test_requests_without_a_time_are_counted_and_left_out(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([request("a", 10, start_us=START_US), request("b", 30), request("c", 50)])
    found = store.figures().series(EVERYTHING, "e2e")
    assert (found.without_time, [point.n for point in found.points]) == (2, [1])


def test_failures_count_where_they_happened_and_missing_values_nowhere(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add(
        [
            request("a", 10, start_us=START_US, ttft_us=4000),
            request("b", 20, start_us=START_US + 1),
            request("c", 1, start_us=START_US + HOUR_US, outcome="failed"),
        ]
    )
    found = store.figures().series(EVERYTHING, "ttft", width_us=HOUR_US)
    assert [(point.n, point.failed, point.p50_ms) for point in found.points] == [(1, 0, 4), (0, 1, None)]


def test_a_series_is_of_the_requests_under_the_filter(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([request(f"r{i}", i, start_us=START_US + i * MINUTE_US, tenant="ab"[i % 2]) for i in range(10)])
    found = store.figures().series(Filter(tenant=("a",)), "e2e", width_us=5 * MINUTE_US)
    assert [(point.n, point.p50_ms) for point in found.points] == [(3, 2), (2, 6)]


@pytest.mark.parametrize(
    ("span_us", "width_us"),
    [
        (0, SECOND_US),
        (100 * SECOND_US, SECOND_US),
        (HOUR_US, MINUTE_US),
        (DAY_US, 15 * MINUTE_US),
        (14 * DAY_US, 3 * HOUR_US),
        (100 * DAY_US, DAY_US),
        (700 * DAY_US, WEEK_US),
    ],
)
def test_the_width_is_the_narrowest_usual_one(span_us: int, width_us: int) -> None:
    assert nice_width(START_US, START_US + span_us) == width_us


@pytest.mark.parametrize("years", [1, 5, 30])
def test_even_decades_fit_the_axis(years: int) -> None:
    last_us = START_US + years * 365 * DAY_US
    width_us = nice_width(START_US, last_us)
    assert (bucket_start(last_us, width_us) - bucket_start(START_US, width_us)) // width_us < MOST_BUCKETS


@pytest.mark.parametrize("width_us", WIDTHS_US)
def test_a_bucket_holds_its_time(width_us: int) -> None:
    for time_us in (START_US, START_US + 12_345_678_901, 1, 0):
        assert 0 <= time_us - bucket_start(time_us, width_us) < width_us


def test_weeks_start_on_monday_at_utc_midnight() -> None:
    assert bucket_start(us("2026-12-06T23:59:59"), WEEK_US) == us("2026-11-30")
    assert bucket_start(us("2026-12-07"), WEEK_US) == us("2026-12-07")
