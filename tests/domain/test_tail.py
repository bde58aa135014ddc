from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from budget_model.domain.rounding import largest_remainder
from budget_model.domain.tail import RankWindow, rank_window, tail_bars

TEN = np.asarray(
    [
        (10, 20, 100, 400),
        (12, 25, 110, 380),
        (11, 22, 90, 500),
        (300, 20, 100, 400),
        (10, 21, 105, 900),
        (15, 200, 120, 410),
        (9, 18, 95, 390),
        (10, 24, 600, 420),
        (13, 23, 115, 450),
        (14, 19, 100, 1500),
    ]
)


def test_ten_requests_by_hand() -> None:
    ordered = TEN[np.argsort(TEN.sum(axis=1), kind="stable")]
    window = rank_window(10, 0.9)
    assert window == RankWindow(9, 1)
    total = int(ordered[window.rank - 1].sum())
    found = tail_bars(ordered[window.first - 1 : window.last], total)
    assert total == 1054
    assert found.window_mean == 1241
    assert found.bars == pytest.approx([9.6256, 18.1187, 227.8995, 798.3562], abs=5e-5)
    assert largest_remainder(found.bars.tolist(), total) == [10, 18, 228, 798]


@pytest.mark.parametrize(
    ("n", "q", "rank", "half_width"),
    [
        (10007, 0.99, 9907, 50),
        (10007, 0.5, 5004, 50),
        (10, 0.9, 9, 1),
        (1, 0.5, 1, 0),
        (100, 0.99, 99, 1),
        (6, 0.99, 6, 0),
    ],
)
def test_a_window_is_symmetric_and_stays_inside(n: int, q: float, rank: int, half_width: int) -> None:
    assert rank_window(n, q) == RankWindow(rank, half_width)


@given(
    hnp.arrays(
        np.int64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=20), elements=st.integers(0, 10**10)
    )
)
def test_bars_add_to_the_total_and_print_as_whole_numbers_that_do(parts: np.ndarray) -> None:
    total = int(parts.sum(axis=1).max())
    found = tail_bars(parts, total)
    if parts.any():
        assert found.bars.sum() == pytest.approx(total)
        assert sum(largest_remainder(found.bars.tolist(), total)) == total
    else:
        assert not found.bars.any()
