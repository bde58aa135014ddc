from __future__ import annotations

from budget_model.domain.intervals import clip, difference, union, union_length


def test_intervals_that_touch_or_overlap_are_one() -> None:
    assert union([(20, 30), (0, 10), (30, 31), (5, 12)]) == [(0, 12), (20, 31)]


def test_time_covered_twice_counts_once() -> None:
    assert union_length([(0, 10), (5, 12), (20, 30), (30, 31)]) == 23


def test_two_overlapping_retrievals_last_as_long_as_their_union() -> None:
    assert union_length([(100, 400), (150, 550)]) == 450


def test_an_interval_inside_another_adds_nothing() -> None:
    assert union([(0, 10), (2, 3)]) == [(0, 10)]


def test_an_interval_that_ends_before_it_starts_holds_nothing() -> None:
    assert union_length([(400, 397)]) == 0


def test_clipping_cuts_at_both_ends_and_drops_what_is_outside() -> None:
    assert clip([(-50, 150), (940, 1060), (2000, 3000)], 0, 1000) == [(0, 150), (940, 1000)]


def test_holes_leave_what_is_around_them() -> None:
    assert difference((0, 10), [(8, 12), (2, 3), (2, 4)]) == [(0, 2), (4, 8)]
    assert difference((0, 10), [(-1, 11)]) == []
