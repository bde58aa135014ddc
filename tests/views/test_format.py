from __future__ import annotations

import pytest

from budget_model.queries.results import Interval, QuantileEstimate
from budget_model.views import format as words
from tests.views.results import estimate


@pytest.mark.parametrize(
    ("ms", "said"),
    [
        (None, "not recorded"),
        (float("nan"), "not recorded"),
        (0, "0 ms"),
        (0.0005, "0.5 µs"),
        (0.015, "15 µs"),
        (0.0999, "99.9 µs"),
        (0.4, "0.40 ms"),
        (9.994, "9.99 ms"),
        (9.996, "10.0 ms"),
        (99.96, "100 ms"),
        (842.4, "842 ms"),
        (999.6, "1.00 s"),
        (1234, "1.23 s"),
        (9996, "10.0 s"),
        (59_949, "59.9 s"),
        (59_960, "1 min 0 s"),
        (125_000, "2 min 5 s"),
        (3_600_000, "1 h 0 min"),
        (-2.5, "−2.50 ms"),
    ],
)
def test_a_time_reads_well_in_its_unit_and_carries_over(ms: float | None, said: str) -> None:
    assert words.duration(ms) == said


def test_a_time_under_a_millisecond_is_not_zero() -> None:
    assert words.duration(0.4) != words.duration(0)


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (0.0, "0 %"),
        (0.0001, "under 0.1 %"),
        (0.004, "0.4 %"),
        (0.0996, "10 %"),
        (0.31, "31 %"),
        (None, "not recorded"),
    ],
)
def test_a_share_is_a_percentage(part: float | None, said: str) -> None:
    assert words.share(part) == said


def test_a_share_of_nothing_is_not_known() -> None:
    assert words.ratio(3, 0) is None


def test_an_open_interval_says_that_its_end_cannot_be_estimated() -> None:
    assert words.interval(Interval(1200, None)) == "1.20 s to not estimable"
    assert words.interval(Interval(1200, 1300)) == "1.20 s to 1.30 s"
    assert words.interval(Interval(None, None)) == "too few samples"


def test_places_are_named_as_people_name_them() -> None:
    said = [words.ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 111, 1982)]
    assert said == ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "111th", "1,982nd"]


def test_percentiles_are_named_as_people_name_them() -> None:
    assert [words.percentile(q) for q in (0.5, 0.99, 0.999)] == ["p50", "p99", "p99.9"]
    assert words.percentile_word(0.5) == "median"


def test_counts_have_separators() -> None:
    assert words.sample(1234) == "n = 1,234"
    assert words.plural(1, "request") == "1 request"
    assert words.plural(1200, "request") == "1,200 requests"


def test_differences_carry_their_sign() -> None:
    assert [words.signed(v) for v in (605, -3, 0)] == ["+605 ms", "−3.00 ms", "0 ms"]


def test_moments_are_utc() -> None:
    assert words.moment(1_764_547_200_000_000) == "1 Dec 2025 00:00:00"
    assert words.moment(None) == "no time"


@pytest.mark.parametrize(
    ("us", "said"),
    [(86_400_000_000, "1 day"), (7 * 86_400_000_000, "7 days"), (900_000_000, "15 min"), (1500, "1.50 ms")],
)
def test_a_bucket_of_time_is_named_by_its_width(us: int, said: str) -> None:
    assert words.span_of_time(us) == said


def test_sizes_step_by_a_thousand() -> None:
    assert [words.size(n) for n in (12, 45_000, 333e6, 2.5e9)] == ["12 B", "45 kB", "333 MB", "2.5 GB"]


def test_a_thin_sample_says_whether_requests_are_few_or_come_in_bursts() -> None:
    assert words.too_few(estimate(1.0, n=6, grade="C")) == "too few samples, n = 6"
    bursts = QuantileEstimate(0.99, 1.0, Interval(0.9, None), 5916, 212, 24, "C")
    assert words.too_few(bursts) == "too few samples: 5,916 count as 212"
