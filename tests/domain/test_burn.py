from __future__ import annotations

import pytest

from budget_model.domain.burn import RULES, burn_rate, can_fire, enough_bad, max_burn, reachable_share


def test_thresholds_are_those_of_the_workbook() -> None:
    assert [rule.threshold() for rule in RULES] == pytest.approx([14.4, 6, 1])
    assert [rule.threshold(28 * 24) for rule in RULES] == pytest.approx([13.44, 5.6, 0.9333], rel=1e-3)


def test_burn_is_the_bad_share_over_the_allowed_one() -> None:
    assert burn_rate(150, 1000, 0.99) == pytest.approx(15)
    assert burn_rate(13, 80, 0.99) == pytest.approx(16.25)
    assert burn_rate(8, 80, 0.99) == pytest.approx(10)


def test_no_requests_have_no_burn() -> None:
    assert burn_rate(0, 0, 0.99) is None


def test_a_low_objective_can_never_reach_the_fast_burn() -> None:
    assert max_burn(0.9) == pytest.approx(10)
    assert not can_fire(RULES[0], 0.90)
    assert can_fire(RULES[0], 0.95)
    assert reachable_share(RULES[0], 0.90) * 720 < max_burn(0.9)


@pytest.mark.parametrize(("n", "least"), [(10, 3), (20, 4), (50, 8), (100, 15), (300, 44)])
def test_a_few_bad_requests_at_low_traffic_are_not_enough(n: int, least: int) -> None:
    burning = next(k for k in range(n + 1) if enough_bad(k, n, 0.99) and (burn_rate(k, n, 0.99) or 0) >= 14.4)
    assert burning == least


def test_quiet_days_have_no_burn_and_leave_the_week_as_it_was() -> None:
    days = [(2, 100), *[(0, 0)] * 6]
    assert [burn_rate(bad, n, 0.99) for bad, n in days] == [pytest.approx(2), *[None] * 6]
    assert burn_rate(sum(bad for bad, _ in days), sum(n for _, n in days), 0.99) == pytest.approx(2)
    assert not enough_bad(0, 0, 0.99)
