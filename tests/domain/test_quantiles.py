from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget_model.domain.quantiles import (
    nearest_rank,
    percentile_name,
    quantile,
    value_at_rank,
    weighted_quantile,
)

SAMPLES = st.lists(st.integers(0, 10**9), min_size=1, max_size=300)
QS = st.sampled_from([0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999])


@pytest.mark.parametrize(
    ("n", "q", "rank"),
    [(100, 0.99, 99), (100, 0.07, 7), (1, 0.5, 1), (6, 0.99, 6), (10007, 0.99, 9907), (1000, 0.999, 999)],
)
def test_the_rank_is_the_ceiling_without_float_noise(n: int, q: float, rank: int) -> None:
    assert nearest_rank(n, q) == rank


@pytest.mark.parametrize(
    ("q", "name"),
    [(0.07, "p7"), (0.58, "p58"), (0.999, "p99.9"), (0.999999999, "p99.9999999"), (1.0, "p100")],
)
def test_a_percentile_is_named_without_float_noise_and_never_rounded_up(q: float, name: str) -> None:
    assert percentile_name(q) == name
    assert percentile_name(1 - 1e-13) == "p99.99999999999"


@pytest.mark.parametrize(("n", "q"), [(0, 0.5), (5, 0.0), (5, 1.0), (5, -1.0)])
def test_a_rank_that_does_not_exist_is_refused(n: int, q: float) -> None:
    with pytest.raises(ValueError, match="no rank"):
        nearest_rank(n, q)


@given(SAMPLES, QS)
def test_a_quantile_is_the_kth_value_of_the_sorted_sample(values: list[int], q: float) -> None:
    k = max(1, math.ceil(len(values) * q - 1e-9))
    assert quantile(np.sort(np.asarray(values)), q) == sorted(values)[k - 1]


@given(SAMPLES, QS)
def test_at_least_the_asked_share_lies_at_or_below_and_no_smaller_value_does(
    values: list[int], q: float
) -> None:
    found = quantile(np.sort(np.asarray(values)), q)
    assert sum(v <= found for v in values) >= len(values) * q - 1e-9
    assert sum(v < found for v in values) < len(values) * q


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(1, 9)), min_size=1, max_size=60), QS)
def test_a_weight_is_the_value_standing_there_that_often(rows: list[tuple[int, int]], q: float) -> None:
    rows.sort()
    values = np.asarray([value for value, _ in rows])
    cumulated = np.cumsum([weight for _, weight in rows])
    written_out = np.sort(np.repeat(values, [weight for _, weight in rows]))
    assert weighted_quantile(values, cumulated, q) == quantile(written_out, q)
    assert value_at_rank(values, cumulated, len(written_out)) == written_out[-1]
