from __future__ import annotations

import pytest

from budget_model.domain.skew import Exchange, offset_interval, skew_delta


@pytest.mark.parametrize(
    ("parent_start", "parent_duration", "child_start", "child_duration", "delta"),
    [
        (0, 1000, -50, 400, 350),
        (0, 1000, 700, 400, -400),
        (0, 1000, 100, 800, 0),
        (0, 1000, -20, 1200, 20),
        (0, 1000, 30, 1200, 0),
        (0, 1000, -300, 1000, 300),
    ],
)
def test_a_child_is_centred_moved_to_the_start_or_left(
    parent_start: int, parent_duration: int, child_start: int, child_duration: int, delta: int
) -> None:
    assert skew_delta(parent_start, parent_duration, child_start, child_duration) == delta


def bounded(low: int, high: int) -> Exchange:
    """A call that bounds the offset to [low, high]: t2 - t3 = low and t1 - t0 = high."""
    return Exchange(client_send=0, server_receive=high, server_reply=1000 + low, client_receive=1000)


def test_calls_together_bound_the_offset_tighter_than_each() -> None:
    found = offset_interval([bounded(220, 290), bounded(190, 262), bounded(242, 340), bounded(225, 275)])
    assert found is not None
    assert (found.low, found.high, found.midpoint) == (242, 262, 252)


def test_bounds_that_exclude_each_other_give_no_offset() -> None:
    assert offset_interval([bounded(0, 10), bounded(20, 30)]) is None


def test_no_calls_give_no_offset() -> None:
    assert offset_interval([]) is None
