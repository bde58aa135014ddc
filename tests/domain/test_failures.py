from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget_model.domain.failures import share_of_ok
from budget_model.domain.quantiles import nearest_rank


def test_five_failures_of_a_thousand_make_the_p99_the_990th_of_995() -> None:
    share = share_of_ok(0.99, 995, 5)
    assert share == pytest.approx(0.99497, abs=1e-5)
    assert nearest_rank(995, share or 0.0) == 990


@pytest.mark.parametrize("failed", [10, 11, 500])
def test_nothing_bounds_a_percentile_that_falls_on_the_slowest_or_on_failures(failed: int) -> None:
    assert share_of_ok(0.99, 1000 - failed, failed) is None


def test_without_failures_the_quantile_is_the_one_asked_for() -> None:
    assert share_of_ok(0.99, 1000, 0) == 0.99


@given(st.integers(2, 5000), st.integers(1, 5000), st.floats(0.5, 0.9999))
def test_it_is_the_rank_among_all_with_failures_last(n_ok: int, n_failed: int, q: float) -> None:
    values = [*range(n_ok), *[math.inf] * n_failed]
    asked = values[nearest_rank(len(values), q) - 1]
    share = share_of_ok(q, n_ok, n_failed)
    if share is None:
        assert asked >= n_ok - 1
    else:
        assert nearest_rank(n_ok, share) - 1 == asked
