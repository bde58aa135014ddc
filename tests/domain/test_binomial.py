from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from budget_model.domain import binomial

PROBABILITIES = st.sampled_from([0.001, 0.01, 0.05, 0.5, 0.9, 0.95, 0.99, 0.999])


@given(st.integers(1, 3000), PROBABILITIES, st.floats(0, 1))
@settings(deadline=None)
def test_both_tails_agree_with_scipy(n: int, p: float, at: float) -> None:
    x = round(at * n)
    assert binomial.cdf(x, n, p) == pytest.approx(stats.binom.cdf(x, n, p), rel=1e-9, abs=1e-30)
    assert binomial.survival(x, n, p) == pytest.approx(stats.binom.sf(x - 1, n, p), rel=1e-9, abs=1e-30)


@pytest.mark.parametrize("n", [100_000, 1_000_000, 10_000_000])
@pytest.mark.parametrize("p", [0.5, 0.95, 0.99, 0.999])
def test_ten_million_trials_keep_nine_digits(n: int, p: float) -> None:
    x = np.asarray(stats.binom.ppf([0.005, 0.025, 0.5, 0.975], n, p), int).tolist()
    for value in x:
        assert binomial.cdf(value, n, p) == pytest.approx(stats.binom.cdf(value, n, p), rel=1e-8)


@given(st.integers(1, 3000), PROBABILITIES, st.sampled_from([0.005, 0.025, 0.2, 0.5, 0.975, 0.999]))
@settings(deadline=None)
def test_the_quantile_is_the_first_outcome_that_reaches_the_probability(n: int, p: float, at: float) -> None:
    x = binomial.quantile(at, n, p)
    assert stats.binom.cdf(x, n, p) >= at - 1e-12
    assert stats.binom.cdf(x - 1, n, p) < at + 1e-12


def test_outcomes_outside_the_range_have_no_or_all_the_mass() -> None:
    assert binomial.cdf(-1, 10, 0.5) == 0
    assert binomial.cdf(10, 10, 0.5) == pytest.approx(1)
    assert binomial.survival(11, 10, 0.5) == 0
    assert binomial.survival(0, 10, 0.5) == 1


@pytest.mark.parametrize(("n", "p"), [(-1, 0.5), (5, 0.0), (5, 1.0)])
def test_a_distribution_that_does_not_exist_is_refused(n: int, p: float) -> None:
    with pytest.raises(ValueError, match="no binomial"):
        binomial.cdf(0, n, p)


def test_no_outcome_may_have_so_small_a_tail() -> None:
    assert binomial.largest_with_lower_tail(3, 0.5, 0.025) is None
    assert binomial.smallest_with_upper_tail(300, 0.99, 0.025) == 301


@pytest.mark.parametrize(
    ("k", "n"), [(0, 1), (1, 1), (0, 40), (40, 40), (7, 10), (980, 1000), (999_000, 1_000_000)]
)
def test_the_interval_of_a_share_is_clopper_and_pearsons(k: int, n: int) -> None:
    expected = stats.binomtest(k, n).proportion_ci(method="exact")
    assert binomial.proportion_interval(k, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize(("k", "n"), [(-1, 5), (6, 5), (0, 0)])
def test_an_impossible_count_has_no_interval(k: int, n: int) -> None:
    with pytest.raises(ValueError, match="no interval"):
        binomial.proportion_interval(k, n)
