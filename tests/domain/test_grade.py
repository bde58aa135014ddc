from __future__ import annotations

import pytest

from budget_model.domain.grade import grade


@pytest.mark.parametrize(
    ("low", "high", "n_eff", "q", "letter"),
    [
        (90, 110, 1000, 0.99, "A"),
        (85, 115, 1000, 0.99, "A"),
        (84, 110, 1000, 0.99, "B"),
        (90, 116, 1000, 0.99, "B"),
        (90, 110, 999, 0.99, "B"),
        (90, 110, 368, 0.99, "B"),
        (90, 110, 367, 0.99, "C"),
        (90, None, 300, 0.99, "C"),
        (90, None, 2000, 0.999, "C"),
        (90, 110, 3688, 0.999, "A"),
        (None, 110, 2000, 0.5, "B"),
        (99, 101, 100, 0.5, "C"),
    ],
)
def test_a_grade_follows_effective_size_and_width(
    low: float | None, high: float | None, n_eff: int, q: float, letter: str
) -> None:
    assert grade(100, low, high, n_eff, q) == letter
