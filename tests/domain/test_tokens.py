from __future__ import annotations

import numpy as np
import pytest

from budget_model.domain.isotonic import isotonic, largest_argument
from budget_model.domain.token_limits import (
    max_output_tokens,
    max_prompt_tokens,
    prefill_curve,
    quadratic_max_tokens,
)

OPT_13B = (18.10254647486372, 0.1019122572698738, 7.122264314252114e-6)
OPT_66B = (29.441636037717455, 0.151352180625198, 8.317450765979451e-6)


def test_pooling_adjacent_violators_gives_the_known_sequence() -> None:
    fitted = isotonic(np.array([1, 3, 2, 4, 3.5, 3.6, 6.0]))
    assert fitted == pytest.approx([1, 2.5, 2.5, 3.7, 3.7, 3.7, 6])


@pytest.mark.parametrize(
    ("model", "budget_ms", "tokens"),
    [
        (OPT_13B, 100, 762),
        (OPT_13B, 125, 981),
        (OPT_13B, 250, 1996),
        (OPT_13B, 400, 3083),
        (OPT_13B, 2500, 12836),
        (OPT_66B, 125, 610),
        (OPT_66B, 250, 1356),
        (OPT_66B, 400, 2185),
    ],
)
def test_the_quadratic_prefill_model_pays_for_the_published_tokens(
    model: tuple[float, float, float], budget_ms: float, tokens: int
) -> None:
    assert quadratic_max_tokens(*model, budget_ms) == tokens


def test_cached_prompt_tokens_buy_a_longer_prompt() -> None:
    assert quadratic_max_tokens(*OPT_13B, 250, cached=512) == 2402
    assert quadratic_max_tokens(*OPT_13B, 250, cached=1024) == 2817


def test_a_budget_below_one_token_buys_none() -> None:
    assert quadratic_max_tokens(*OPT_13B, 18) == 0


@pytest.mark.parametrize(("budget_ms", "tpot_ms", "tokens"), [(3000, 20, 151), (3000, 50, 61), (500, 30, 17)])
def test_a_decode_line_pays_for_one_token_more_than_its_steps(
    budget_ms: float, tpot_ms: float, tokens: int
) -> None:
    assert max_output_tokens(budget_ms, tpot_ms) == tokens


def test_nothing_is_extrapolated_beyond_what_was_measured() -> None:
    xs, curve = np.array([100.0, 200.0]), np.array([10.0, 20.0])
    assert largest_argument(xs, curve, 15) == pytest.approx(150)
    assert largest_argument(xs, curve, 1e9) == 200
    assert largest_argument(xs, curve, 5) is None


def test_the_measured_curve_is_read_backwards() -> None:
    tokens = np.repeat(np.arange(1, 41) * 100.0, 100)
    curve = prefill_curve(tokens, tokens / 10, 0.99)
    assert curve is not None
    assert max_prompt_tokens(curve, 205) == 2050


def test_too_few_requests_give_no_curve() -> None:
    assert prefill_curve(np.arange(50.0), np.arange(50.0), 0.99) is None
