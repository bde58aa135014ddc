from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from budget_model.domain.hops import HOPS
from budget_model.normalise.path_times import ROUNDING_NS, partition

hop_ns = st.none() | st.integers(min_value=0, max_value=10**12)
all_hops = st.lists(hop_ns, min_size=len(HOPS) - 1, max_size=len(HOPS) - 1).map(lambda hops: [*hops, None])


@given(all_hops)
def test_path_times_add_to_the_end_to_end_time_they_make(hops: list[int | None]) -> None:
    e2e_us, path_us = partition(hops, None)
    assert sum(us for us in path_us if us is not None) == (e2e_us or 0)
    assert [us is None for us in path_us] == [ns is None for ns in hops]
    assert all(
        abs(us * 1000 - ns) <= 1000
        for us, ns in zip(path_us, hops, strict=True)
        if us is not None and ns is not None
    )


@given(all_hops, st.integers(min_value=0, max_value=10**9))
def test_what_is_left_over_is_unattributed_to_the_microsecond(hops: list[int | None], over: int) -> None:
    total = sum(ns for ns in hops if ns is not None)
    e2e_us, path_us = partition(hops, total + over)
    assert sum(us for us in path_us if us is not None) == e2e_us
    assert path_us[-1] is not None
    assert abs(path_us[-1] * 1000 - over) <= 1000


@given(st.lists(st.integers(min_value=ROUNDING_NS, max_value=10**17), min_size=1, max_size=9), st.data())
def test_hops_over_by_rounding_are_fitted_exactly(known: list[int], data: st.DataObject) -> None:
    over = data.draw(st.integers(min_value=1, max_value=ROUNDING_NS * len(known)))
    hops: list[int | None] = [*known, *[None] * (len(HOPS) - len(known))]
    e2e_us, path_us = partition(hops, max(sum(known) - over, 0))
    assert sum(us for us in path_us if us is not None) == e2e_us
