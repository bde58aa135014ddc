from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from budget_model.domain.microseconds import parts_us, round_us


def test_half_a_microsecond_goes_up() -> None:
    assert [round_us(ns) for ns in (499, 500, 1499, 1500, 2500)] == [0, 1, 1, 2, 3]


def test_the_largest_remainder_gets_the_missing_microsecond() -> None:
    assert parts_us([1_400, 1_600, 0]) == [1, 2, 0]


@given(st.lists(st.integers(0, 10**18), min_size=1, max_size=10))
def test_parts_add_to_the_rounded_total_and_nothing_stays_nothing(parts: list[int]) -> None:
    rounded = parts_us(parts)
    assert sum(rounded) == round_us(sum(parts))
    assert all(abs(us * 1000 - ns) < 1000 for us, ns in zip(rounded, parts, strict=True))
    assert all(us == 0 for us, ns in zip(rounded, parts, strict=True) if ns == 0)
