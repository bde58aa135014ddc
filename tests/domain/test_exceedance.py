from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget_model.domain.budget_question import Question
from budget_model.domain.exceedance import equal_exceedance, joint_coverage, rank_column, rank_hops
from budget_model.domain.frontier import frontier
from budget_model.domain.headroom import recommended_headroom
from budget_model.domain.strategies import cost_minimal_split
from tests.domain.lattices import lattice


@pytest.mark.parametrize(("variant", "coverage"), [("indep", 0.6364), ("load", 0.7129), ("comon", 0.9452)])
def test_equal_exceedance_covers_jointly_what_the_dependence_allows(variant: str, coverage: float) -> None:
    hops = lattice(variant).hops[:, :8]
    limits = equal_exceedance(rank_hops(list(hops.T)).columns, 4_500_000)
    assert limits is not None
    assert limits.level == pytest.approx(0.945260, abs=1e-6)
    assert (hops <= limits.limits).all(axis=1).mean() == pytest.approx(coverage, abs=5e-4)


@pytest.mark.parametrize(
    ("variant", "level", "total"),
    [("indep", 0.99880, 8865.97), ("load", 0.99840, 8545.04), ("comon", 0.9900, 6468.97)],
)
def test_joint_coverage_needs_the_published_level(variant: str, level: float, total: float) -> None:
    hops = lattice(variant).hops[:, :8]
    limits = joint_coverage(rank_hops(list(hops.T)), 0.99)
    assert limits.level == pytest.approx(level, abs=1e-5)
    assert limits.limits.sum() / 1000 == pytest.approx(total, rel=1e-6)
    assert (hops <= limits.limits).all(axis=1).mean() >= 0.99


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 300), st.integers(0, 2**32 - 1), st.floats(0.01, 2))
def test_equal_exceedance_limits_add_to_the_total(n: int, seed: int, share: float) -> None:
    hops = np.random.default_rng(seed).exponential(1, (n, 4))
    columns = rank_hops(list(hops.T)).columns
    total = float(columns[0].sum() + share * (columns[-1].sum() - columns[0].sum()))
    limits = equal_exceedance(columns, total)
    assert limits is not None
    assert limits.limits.sum() == pytest.approx(total, rel=1e-9)


def test_exponential_hops_get_the_closed_form() -> None:
    u = (np.arange(200_000) + 0.5) / 200_000
    columns = np.stack([-np.log1p(-u), -3 * np.log1p(-u)], axis=1)
    limits = equal_exceedance(columns, 20.0)
    assert limits is not None
    assert limits.limits == pytest.approx([5, 15], rel=1e-3)
    assert 1 - limits.level == pytest.approx(0.0067379, rel=1e-2)


@pytest.mark.parametrize(
    ("weights", "total", "split"), [((1, 4), 3000, (1000, 2000)), ((9, 1), 4000, (3000, 1000))]
)
def test_the_cheapest_split_follows_the_roots(
    weights: tuple[float, float], total: float, split: tuple[float, float]
) -> None:
    assert cost_minimal_split(total, weights) == pytest.approx(split)


def test_the_frontier_trades_prefill_for_decode_as_published() -> None:
    points = frontier(lattice("indep"), Question(5_000_000, 0.99, 0.1), np.array([0.5, 1.0, 1.5, 2.0]))
    assert [p.decode_scale for p in points] == pytest.approx([1.0691, 1.0246, 0.9586, 0.8779], abs=5e-5)


@pytest.mark.parametrize(
    ("n", "published"), [(368, 0.28), (1000, 0.20), (2000, 0.12), (5000, 0.067), (10000, 0.047)]
)
def test_the_advised_headroom_shrinks_with_the_sample(n: int, published: float) -> None:
    rng = np.random.default_rng(2024)
    advised = [recommended_headroom(rng.lognormal(0, 0.6, n), 0.99) for _ in range(101)]
    assert float(np.median([a for a in advised if a is not None])) == pytest.approx(published, abs=0.035)


def test_a_small_sample_has_no_headroom_to_advise() -> None:
    assert recommended_headroom(np.arange(1.0, 200), 0.99) is None


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=40))
def test_a_rank_counts_the_smaller_values_and_ties_share_it(values: list[int]) -> None:
    hops = np.array(values, np.float64)
    ordered, ranks = rank_column(hops)
    assert ordered.tolist() == sorted(values)
    assert ranks.tolist() == [1 + sum(other < value for other in values) for value in values]


def test_ranking_changes_no_quantile_of_a_hop() -> None:
    plain, ranked = lattice("load"), lattice("load")
    ranked.ranked()
    qs = (0.5, 0.95, 0.99, 0.999)
    assert [ranked.own_quantile(3, q) for q in qs] == [plain.own_quantile(3, q) for q in qs]
