from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget_model.normalise.times import moment
from budget_model.records.rejects import BadRecordError

NOON = 1796126400000000000  # 2026-12-01T12:00:00Z


@contextmanager
def machine_zone(name: str) -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = name
    time.tzset()
    try:
        yield
    finally:
        os.environ.pop("TZ")
        if before is not None:
            os.environ["TZ"] = before
        time.tzset()


@pytest.mark.parametrize(
    "text",
    [
        "2026-12-01T12:00:00Z",
        "2026-12-01 12:00:00 UTC",
        "2026-12-01T12:00:00.000000000+00:00",
        "2026-12-01T17:30:00+05:30",
        "2026-12-01T17:30+0530",
        "2026-12-01T07:00:00-05",
        "2026-12-01T12:00:00",
    ],
)
def test_one_moment_in_every_spelling(text: str) -> None:
    found = moment(text, None)
    assert found is not None
    assert (found.time_ns, found.zone_assumed) == (NOON, text.endswith(":00:00") and "+" not in text)


@pytest.mark.parametrize(
    "number", [1796126400, 1796126400000, 1796126400000000, "1796126400000000000", 1796126400.0]
)
def test_the_length_of_a_number_tells_its_unit_and_that_is_noted(number: object) -> None:
    found = moment(number, None)
    assert found is not None
    assert (found.time_ns, found.unit_assumed is not None) == (NOON, True)


@pytest.mark.parametrize(
    "value",
    [
        "2026-02-30",
        "2026-12-01T24:00:00Z",
        "2026-12-01T10:61Z",
        "tomorrow",
        12345,
        "-5",
        "1900-01-01",
        True,
        "9999-01-01",
    ],
)
def test_what_is_no_moment_is_refused(value: object) -> None:
    with pytest.raises(BadRecordError):
        moment(value, None)


def test_nothing_is_no_moment() -> None:
    assert moment("", None) is None
    assert moment(None, "ms") is None


def test_fractions_keep_nine_digits() -> None:
    found = moment("2023-11-16 18:15:46.6805900001", None)
    assert found is not None
    assert found.time_ns % 1_000_000_000 == 680_590_000


@given(
    st.datetimes(min_value=datetime(1971, 1, 1), max_value=datetime(2200, 1, 1)),
    st.integers(min_value=-14 * 60, max_value=14 * 60),
    st.sampled_from(["UTC", "Asia/Kolkata", "America/St_Johns", "Pacific/Kiritimati"]),
)
def test_the_zone_of_the_machine_changes_nothing(naive: datetime, offset_minutes: int, zone: str) -> None:
    aware = naive.replace(tzinfo=timezone(timedelta(minutes=offset_minutes)))
    exact = (aware - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000
    naive_exact = (
        (naive.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000
    )
    with machine_zone(zone):
        read = [moment(value, None) for value in (aware.isoformat(), aware, naive.isoformat(), naive)]
    assert [found.time_ns for found in read if found] == [exact, exact, naive_exact, naive_exact]
