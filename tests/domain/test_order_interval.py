from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget_model.domain.order_interval import (
    RankInterval,
    coverage,
    effective_rank_interval,
    minimum_n,
    rank_interval,
)
from budget_model.domain.quantiles import nearest_rank

RANKS = [
    (300, 0.99, 297, 293, None),
    (368, 0.99, 365, 360, 368),
    (500, 0.99, 495, 490, 500),
    (1000, 0.99, 990, 983, 997),
    (2000, 0.99, 1980, 1971, 1989),
    (5000, 0.99, 4950, 4936, 4964),
    (10000, 0.99, 9900, 9880, 9920),
    (10007, 0.99, 9907, 9887, 9927),
    (100, 0.95, 95, 90, 100),
    (1000, 0.95, 950, 936, 964),
]


@pytest.mark.parametrize(("n", "q", "k", "low", "high"), RANKS)
def test_ranks_of_the_95_percent_interval(n: int, q: float, k: int, low: int, high: int | None) -> None:
    assert nearest_rank(n, q) == k
    assert rank_interval(n, q) == RankInterval(low, high)


@pytest.mark.parametrize(
    ("n", "covered"), [(368, 0.9624), (500, 0.9802), (1000, 0.9761), (5000, 0.9537), (10000, 0.9558)]
)
def test_what_the_interval_really_covers(n: int, covered: float) -> None:
    assert coverage(n, 0.99, rank_interval(n, 0.99)) == pytest.approx(covered, abs=5e-5)


@pytest.mark.parametrize(
    ("q", "confidence", "two_sided", "n"),
    [
        (0.99, 0.95, False, 299),
        (0.99, 0.99, False, 459),
        (0.99, 0.95, True, 368),
        (0.99, 0.99, True, 528),
        (0.95, 0.95, False, 59),
        (0.95, 0.95, True, 72),
        (0.999, 0.95, False, 2995),
        (0.999, 0.95, True, 3688),
    ],
)
def test_fewest_values_for_a_finite_upper_bound(q: float, confidence: float, two_sided: bool, n: int) -> None:
    assert minimum_n(q, confidence, two_sided=two_sided) == n


@pytest.mark.parametrize("q", [0.5, 0.9, 0.95, 0.99, 0.999])
def test_the_upper_bound_appears_exactly_at_the_minimum(q: float) -> None:
    least = minimum_n(q)
    assert rank_interval(least, q).high == least
    assert rank_interval(least - 1, q).high is None


@given(st.integers(1, 5000), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
@settings(deadline=None)
def test_an_interval_covers_at_least_what_it_claims_and_holds_the_quantile(n: int, q: float) -> None:
    interval = rank_interval(n, q)
    assert coverage(n, q, interval) >= 0.95 - 1e-9
    assert (interval.low or 0) <= nearest_rank(n, q) <= (interval.high or n)


@given(st.integers(10, 5000), st.floats(0.01, 1), st.sampled_from([0.5, 0.95, 0.99]))
@settings(deadline=None)
def test_dependence_only_widens(n: int, share: float, q: float) -> None:
    plain, wide = rank_interval(n, q), effective_rank_interval(n, max(1, int(n * share)), q)
    assert (wide.low or 0) <= (plain.low or 0)
    assert wide.high is None or (plain.high is not None and wide.high >= plain.high)
    assert wide.high is None or wide.high <= n


def test_independent_values_keep_their_ranks() -> None:
    assert effective_rank_interval(1000, 1000, 0.99) == RankInterval(983, 997)
