from __future__ import annotations

import pytest

from budget_model.domain.verdict import Decision, decide, fail_least, pass_most

TABLE = [
    (100, None, 4),
    (200, None, 6),
    (299, 0, 7),
    (473, 1, 10),
    (500, 1, 10),
    (628, 2, 12),
    (1000, 4, 16),
    (2000, 12, 29),
    (5000, 38, 63),
    (10000, 83, 118),
]


@pytest.mark.parametrize(("n", "passes", "fails"), TABLE)
def test_pass_and_fail_limits_at_p99_are_the_published_ones(n: int, passes: int | None, fails: int) -> None:
    assert (pass_most(n, 0.99), fail_least(n, 0.99)) == (passes, fails)


def test_ten_bad_of_a_thousand_at_p99_decide_nothing() -> None:
    verdict = decide(1000, 10, 0.99)
    assert verdict.decision is Decision.INCONCLUSIVE
    assert verdict.deciding_n is None


def test_an_inconclusive_verdict_names_the_n_that_would_decide() -> None:
    verdict = decide(1000, 5, 0.99)
    assert verdict.decision is Decision.INCONCLUSIVE
    assert verdict.deciding_n is not None
    assert decide(verdict.deciding_n, round(0.005 * verdict.deciding_n), 0.99).decision is Decision.PASS


def test_clear_cases_are_decided() -> None:
    assert decide(1000, 4, 0.99).decision is Decision.PASS
    assert decide(1000, 16, 0.99).decision is Decision.FAIL


def test_no_requests_decide_nothing() -> None:
    assert decide(0, 0, 0.99).decision is Decision.INCONCLUSIVE


def test_more_bad_than_requests_is_refused() -> None:
    with pytest.raises(ValueError, match="not possible"):
        decide(10, 11, 0.99)
