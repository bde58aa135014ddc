"""Retries as a hop of their own, on a grid whose percentile is known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from budget_model.domain.allocation import allocate
from budget_model.domain.budget_question import HOP_INDEX, Question, Sample
from budget_model.domain.hops import HOPS, Hop

N, BACKOFF_S = 100_000, 0.2
US_PER_S = 1_000_000


def exponential(n: int) -> np.typing.NDArray[np.float64]:
    return -np.log1p(-(np.arange(n) + 0.5) / n)


def retried(share: float) -> Sample:
    """First attempts longer than tau, a share of all, are given up at tau and tried once more."""
    attempts = exponential(N)
    retries = round(share * N)
    tau = -math.log(share)
    hops = np.zeros((N, len(HOPS)))
    hops[:, HOP_INDEX[Hop.DECODE]] = (
        np.concatenate((attempts[: N - retries], exponential(retries))) * US_PER_S
    )
    hops[N - retries :, HOP_INDEX[Hop.RETRY]] = (tau + BACKOFF_S) * US_PER_S
    return Sample(hops, np.count_nonzero(hops, axis=0))


@pytest.mark.parametrize(("share", "tau"), [(0.02, 3.9120), (0.05, 2.9957)])
def test_more_retries_than_the_percentile_leaves_stand_in_it_with_their_time_out(
    share: float, tau: float
) -> None:
    answer = allocate(retried(share), Question(5_339_111, 0.99, 0.1))
    assert answer.observed_us / US_PER_S == pytest.approx(4.8052, rel=1e-3)
    assert answer.observed_bars_us[HOP_INDEX[Hop.RETRY]] / US_PER_S == pytest.approx(
        tau + BACKOFF_S, rel=1e-2
    )
    lines = {line.name: line for line in answer.lines}
    assert lines["retry"].kind == "retry"
    assert sum(line.us for line in answer.lines) == 5_339_111


def test_fewer_retries_than_the_percentile_leaves_are_not_in_it() -> None:
    answer = allocate(retried(0.005), Question(6_000_000, 0.99, 0.1))
    assert answer.observed_us / US_PER_S == pytest.approx(-math.log(0.01), rel=1e-3)
    assert answer.observed_bars_us[HOP_INDEX[Hop.RETRY]] == 0
