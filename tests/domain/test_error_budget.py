from __future__ import annotations

import pytest

from budget_model.domain.error_budget import ErrorBudget


def test_what_is_left_is_the_unused_share_of_the_allowed_bad_requests() -> None:
    assert ErrorBudget(0.9, 1000, 40).left == pytest.approx(0.6)
    assert ErrorBudget(0.9, 10, 4).left == pytest.approx(-3)


def test_no_requests_leave_the_budget_undefined() -> None:
    quiet = ErrorBudget(0.99, 0, 0)
    assert quiet.left is None
    assert quiet.allowed == 0
