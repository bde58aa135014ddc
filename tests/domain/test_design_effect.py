from __future__ import annotations

import numpy as np
import pytest

from budget_model.domain.design_effect import DesignEffect, design_effect, from_blocks, independent


def test_fewer_than_a_hundred_values_are_taken_as_independent_and_say_so() -> None:
    assert design_effect(np.arange(99), 50) == DesignEffect(0, 1.0, 99)


def test_no_value_above_the_threshold_leaves_the_effect_unknown() -> None:
    assert design_effect(np.zeros(1000), 5) == independent(1000)


def test_the_effect_is_the_spread_of_block_rates_over_that_of_independent_values() -> None:
    above = np.asarray([100.0] + [0.0] * 19)
    found = from_blocks(above, np.full(20, 100.0), 2000)
    rates = above / 100
    expected = np.var(rates, ddof=1) / (0.05 * 0.95 / 100)
    assert found.effect == pytest.approx(expected)
    assert found.n_eff == int(2000 / expected)
    assert found.blocks == 20


def test_one_slow_episode_is_worth_far_fewer_values_than_the_same_values_spread_out() -> None:
    rng = np.random.default_rng(7)
    values = rng.exponential(100, 10_000)
    threshold = float(np.quantile(values, 0.99))
    together = np.concatenate([values[values <= threshold], values[values > threshold]])
    assert design_effect(values, threshold).n_eff > 5_000
    assert design_effect(together, threshold).n_eff < 200


def test_evenly_spread_values_are_never_worth_more_than_their_number() -> None:
    values = np.tile(np.arange(100), 100)
    found = design_effect(values, 98)
    assert found.effect < 1
    assert found.n_eff == 10_000


def test_values_without_a_time_count_in_n_but_not_in_the_blocks() -> None:
    values = np.tile(np.arange(100), 10)
    assert design_effect(values, 98, n=1500).n_eff == 1500
