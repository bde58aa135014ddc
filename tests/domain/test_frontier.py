from __future__ import annotations

import numpy as np
import pytest

from budget_model.domain.budget_question import Question
from budget_model.domain.frontier import frontier
from budget_model.domain.quantiles import quantile_of
from tests.domain.lattices import lattice

ASKED = Question(5_000_000, 0.99, 0.1)


@pytest.mark.parametrize(
    ("prefill", "decode"), [(0.5, 1.0691), (1.0, 1.0246), (1.0214, 1.0214), (1.5, 0.9586), (2.0, 0.8779)]
)
def test_a_point_of_the_frontier_is_the_published_one(prefill: float, decode: float) -> None:
    (point,) = frontier(lattice("indep"), ASKED, np.array([prefill]))
    assert point.decode_scale == pytest.approx(decode, rel=1e-3)


def test_every_point_meets_the_target_exactly_and_prefill_is_paid_for_with_decode() -> None:
    sample = lattice("load")
    points = frontier(sample, ASKED, np.linspace(0, 2, 9))
    for point in points:
        hops = sample.hops.copy()
        hops[:, 5] *= point.prefill_scale
        hops[:, 6] *= point.decode_scale
        assert quantile_of(hops.sum(axis=1), 0.99) == pytest.approx(4_500_000, rel=1e-9)
    decode = [point.decode_scale for point in points]
    assert decode == sorted(decode, reverse=True)


def test_factors_that_no_decode_can_make_up_for_are_left_out() -> None:
    points = frontier(lattice("load"), ASKED, np.array([1.0, 100.0]))
    assert [point.prefill_scale for point in points] == [1.0]
