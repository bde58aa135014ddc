from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from budget_model.domain.partition import SELF, backward_walk

Intervals = st.lists(st.tuples(st.integers(-50, 150), st.integers(-50, 150)), max_size=12)


def held(segments: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    return sorted(segments)


def test_overlapping_children_share_the_parent_without_counting_time_twice() -> None:
    starts, ends = [100, 150, 550, 800], [400, 550, 800, 980]
    assert held(backward_walk(0, 1000, starts, ends)) == [
        (0, 100, SELF),
        (100, 150, 0),
        (150, 550, 1),
        (550, 800, 2),
        (800, 980, 3),
        (980, 1000, SELF),
    ]


def test_of_two_children_that_started_together_the_first_is_taken() -> None:
    assert backward_walk(0, 10, [2, 2], [8, 8]) == [(8, 10, SELF), (2, 8, 0), (0, 2, SELF)]


def test_a_child_is_cut_to_its_parent() -> None:
    assert backward_walk(0, 10, [-5], [99]) == [(0, 10, 0)]


def test_a_child_that_ends_before_it_starts_takes_nothing() -> None:
    assert backward_walk(0, 10, [8], [3]) in ([(0, 10, SELF)], [(3, 10, SELF), (0, 3, SELF)])


def test_a_child_outside_its_parent_takes_nothing() -> None:
    assert sum(b - a for a, b, by in backward_walk(0, 10, [-9, 12], [-3, 20]) if by != SELF) == 0


def test_nothing_to_divide_gives_nothing() -> None:
    assert backward_walk(5, 5, [1], [9]) == []


@given(Intervals, st.integers(0, 100))
def test_the_parts_add_to_the_parent_and_lie_in_their_children(
    found: list[tuple[int, int]], high: int
) -> None:
    found.sort()
    starts, ends = [start for start, _ in found], [end for _, end in found]
    segments = backward_walk(0, high, starts, ends)
    assert sum(end - start for start, end, _ in segments) == high
    assert [end for _, end, _ in segments[1:]] == [start for start, _, _ in segments[:-1]]
    for start, end, by in segments:
        assert start < end
        if by != SELF:
            assert starts[by] <= start
            assert end <= ends[by]
        else:
            assert not any(s < end and e > start and s < e for s, e in found if min(e, end) > max(s, start))
