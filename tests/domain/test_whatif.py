from __future__ import annotations

import numpy as np
import pytest

from budget_model.domain.whatif.answer_tactics import OutputCap, ShorterOutputs
from budget_model.domain.whatif.interval import paired_difference
from budget_model.domain.whatif.model_tactics import (
    PromptCache,
    RouteRule,
    SmallerModel,
    SpeculativeDecoding,
    speculative_speedup,
)
from budget_model.domain.whatif.path_tactics import CloserRegion, NoRetries
from budget_model.domain.whatif.retrieval_tactics import HedgedRetrieval, ParallelRetrieval
from budget_model.domain.whatif.tactic import Tactic
from budget_model.domain.whatif.weighted import unweighted, weighted_bars, weighted_quantile
from budget_model.errors import BudgetError
from tests.domain.lattices import N, lattice

PUBLISHED: list[tuple[Tactic, float, float]] = [
    (PromptCache(0.3, 8), 4350.189, 5444.139),
    (PromptCache(0.5, 8), 4285.860, 5264.897),
    (PromptCache(0.9, 8), 4157.258, 4878.819),
    (SpeculativeDecoding(2), 2667.987, 3752.714),
    (SpeculativeDecoding(2.5), 2347.528, 3379.965),
    (SpeculativeDecoding(3), 2155.696, 3135.030),
    (ShorterOutputs(0.8), 3705.244, 4885.274),
    (OutputCap(0.95), 3808.505, 4799.220),
    (SmallerModel(0.5, RouteRule.RANDOM), 4060.141, 5026.879),
    (SmallerModel(0.8, RouteRule.RANDOM), 3570.267, 4193.202),
    (SmallerModel(0.8, RouteRule.SHORTEST), 4415.079, 5639.142),
    (SmallerModel(0.3, RouteRule.LONGEST), 2658.450, 2732.326),
    (ParallelRetrieval(0.6), 4351.889, 5558.408),
    (HedgedRetrieval(0.95), 4398.886, 5639.142),
]


@pytest.mark.parametrize(("tactic", "independent_ms", "load_ms"), PUBLISHED)
def test_a_tactic_moves_the_p99_as_published(tactic: Tactic, independent_ms: float, load_ms: float) -> None:
    for variant, published in (("indep", independent_ms), ("load", load_ms)):
        after = tactic.apply(unweighted(lattice(variant).hops))
        assert weighted_quantile(after.totals(), after.weights, 0.99) / 1000 == pytest.approx(
            published, rel=1e-6
        )


@pytest.mark.parametrize(("tactic", "_independent", "_load"), PUBLISHED)
def test_bars_after_a_tactic_add_to_its_percentile_and_weights_to_the_requests(
    tactic: Tactic, _independent: float, _load: float
) -> None:
    after = tactic.apply(unweighted(lattice("load").hops))
    total = weighted_quantile(after.totals(), after.weights, 0.99)
    assert weighted_bars(after, 0.99).sum() == pytest.approx(total, rel=1e-12)
    assert np.bincount(after.request, after.weights) == pytest.approx(np.ones(N))


def test_a_cache_whose_hits_never_reach_the_tail_moves_the_p99_to_a_lower_quantile() -> None:
    hops = np.zeros((100_000, 10))
    hops[:, 5] = -np.log1p(-(np.arange(100_000) + 0.5) / 100_000)
    for share, published in ((0.5, 3.9120), (0.9, 2.3026)):
        after = PromptCache(share, 1e9).apply(unweighted(hops))
        assert weighted_quantile(after.totals(), after.weights, 0.99) == pytest.approx(published, rel=1e-3)


def test_tactics_stack_in_any_number() -> None:
    requests = unweighted(lattice("load").hops)
    for tactic in (PromptCache(0.5, 8), SmallerModel(0.5, RouteRule.RANDOM), SpeculativeDecoding(2)):
        requests = tactic.apply(requests)
    assert requests.hops.shape[0] == 4 * N
    assert weighted_quantile(requests.totals(), requests.weights, 0.99) / 1000 < 3752.714


@pytest.mark.parametrize(
    ("acceptance", "guesses", "cost", "tokens", "speedup"),
    [(0.8, 5, 0.05, 3.6893, 2.9514), (0.6, 5, 0.05, 2.3834, 1.9067), (0.8, 3, 0.1, 2.952, 2.2708)],
)
def test_speculative_speedup_follows_the_published_formula(
    acceptance: float, guesses: int, cost: float, tokens: float, speedup: float
) -> None:
    assert speculative_speedup(acceptance, guesses, cost) == pytest.approx((tokens, speedup), rel=1e-4)


def test_removing_what_is_not_there_changes_nothing() -> None:
    before = unweighted(lattice("load").hops)
    assert weighted_quantile(NoRetries().apply(before).totals(), before.weights, 0.99) == pytest.approx(
        5639142, rel=1e-6
    )


def test_every_tactic_says_what_it_assumes() -> None:
    tried: list[Tactic] = [row[0] for row in PUBLISHED]
    for tactic in (*tried, NoRetries(), CloserRegion(0.5)):
        assert tactic.assumption.endswith(".")


@pytest.mark.parametrize(
    "make",
    [
        lambda: PromptCache(1.5, 8),
        lambda: PromptCache(0.5, 0.5),
        lambda: SpeculativeDecoding(0),
        lambda: ParallelRetrieval(0.4),
        lambda: CloserRegion(-1),
    ],
)
def test_a_tactic_outside_its_range_is_refused(make: object) -> None:
    with pytest.raises(BudgetError, match="not accepted"):
        make()  # type: ignore[operator]


def test_the_paired_interval_is_narrow_and_holds_the_known_change() -> None:
    hops = lattice("load").hops
    before, after = unweighted(hops), SpeculativeDecoding(2).apply(unweighted(hops))
    block = np.arange(N) * 20 // N
    low, high = paired_difference(
        (before.totals(), before.weights, block), (after.totals(), after.weights, block), 0.99, seed=1
    )
    assert low < (3752.714 - 5639.142) * 1000 < high
    assert high - low < 500_000


def test_a_change_that_changes_nothing_has_an_interval_of_nothing() -> None:
    before = unweighted(lattice("load").hops)
    side = (before.totals(), before.weights, np.arange(N) * 20 // N)
    assert paired_difference(side, side, 0.99, seed=1) == (0.0, 0.0)
