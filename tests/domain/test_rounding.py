"""Rounded bars must add to the rounded total."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget_model.domain.rounding import largest_remainder


def test_the_bars_of_a_waterfall_print_to_its_printed_total() -> None:
    bars = [17.786, 83.160, 13.199, 164.920, 92.393, 416.997, 3604.550, 22.075]
    assert largest_remainder(bars, 4415) == [18, 83, 13, 165, 92, 417, 3605, 22]


def test_a_tie_goes_to_the_lower_index() -> None:
    assert largest_remainder([0.5, 0.5, 0.5, 0.5], 2) == [1, 1, 0, 0]


def test_negative_values_add_up_too() -> None:
    assert largest_remainder([-1.5, 2.25, 0.25], 1) == [-1, 2, 0]


def test_a_total_that_rounding_cannot_reach_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be rounded to 9"):
        largest_remainder([1.0, 2.0], 9)


@given(st.lists(st.fractions(min_value=0, max_value=10**9), min_size=1, max_size=10))
def test_any_values_add_up_and_none_moves_by_one_or_more(values: list[Fraction]) -> None:
    total = round(sum(values))
    rounded = largest_remainder(values, total)
    assert sum(rounded) == total
    assert all(abs(got - value) <= 1 for got, value in zip(rounded, values, strict=True))
