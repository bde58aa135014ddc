"""What the allocator prepares ahead changes how soon it answers, never what."""

from __future__ import annotations

from pathlib import Path

import pytest

from budget_model.domain.allocation import SplitRule
from budget_model.domain.budget_question import Question
from budget_model.domain.hops import Hop
from budget_model.domain.strategies import Strategy
from budget_model.domain.verdict import Decision, decide
from budget_model.queries.filters import Filter
from budget_model.queries.joint_sample import joint_sample
from budget_model.queries.selection import select
from budget_model.services.allocating import Allocator, Proposal
from budget_model.services.importing import import_files
from budget_model.services.workspace import Workspace
from tests.lattice import write_lattice
from tests.services.homes import home

RULES = [
    SplitRule(strategy)
    for strategy in Strategy
    if strategy not in (Strategy.COST_MINIMAL, Strategy.TOKEN_NEED)
]


@pytest.fixture(scope="module")
def log_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("allocating")
    import_files(home(folder / "home", workers=1), [write_lattice(folder / "log.parquet", "load", "parquet")])
    return folder / "home"


def failing_home(folder: Path, n: int, failed: int) -> Path:
    """Ok requests of 1000, 1001, .. ms, of which all but 100 ms are prefill and decode; then failed ones."""
    head = "request_id,e2e_ms,gateway_ms,prefill_ms,decode_ms,status"
    rows = [f"r{i},{1000 + i},100,300,{600 + i},{'error' if i >= n - failed else 'ok'}" for i in range(n)]
    (folder / "log.csv").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    import_files(home(folder / "home", workers=1), [folder / "log.csv"])
    return folder / "home"


@pytest.mark.parametrize("failed", [0, 12])
def test_compute_scaled_as_asked_puts_the_percentile_of_all_requests_at_the_target(
    tmp_path: Path, failed: int
) -> None:
    workspace = Workspace(home(failing_home(tmp_path, 4000, failed)))
    found = workspace.allocator.propose(Filter(), Question(4_000_000, 0.99, 0.1))
    assert found.question.q == 0.99
    assert found.allocation is not None
    scale = found.allocation.compute.scale
    assert scale is not None
    inside = sum(100_000 + scale * (900_000 + 1000 * i) <= 3_600_000.5 for i in range(4000 - failed))
    assert inside == 3960


def test_a_budget_with_the_advised_headroom_passes_its_own_check_though_requests_failed(
    tmp_path: Path,
) -> None:
    workspace = Workspace(home(failing_home(tmp_path, 4000, 12)))
    first = workspace.allocator.propose(Filter(), Question(9_000_000, 0.99, 0.1)).allocation
    assert first is not None
    assert first.recommended_headroom is not None
    target_us = round(first.observed_us / (1 - first.recommended_headroom))
    found = workspace.allocator.attainment(Filter(), target_us)
    assert decide(found.n, found.late + found.failed, 0.99).decision is Decision.PASS


def ask(allocator: Allocator, rule: SplitRule, q: float) -> Proposal:
    return allocator.propose(Filter(), Question(9_000_000, q, 0.1, {Hop.RETRIEVAL: 400_000}), rule)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.strategy))
@pytest.mark.parametrize("q", [0.95, 0.99])
def test_ranking_hops_ahead_changes_no_answer(log_home: Path, rule: SplitRule, q: float) -> None:
    plain, prepared = Workspace(home(log_home)), Workspace(home(log_home))
    prepared.allocator.prepare(Filter()).result()
    assert "ranked" in joint_sample(select(prepared.engine.table(), Filter())).memo
    expected, found = ask(plain.allocator, rule, q).allocation, ask(prepared.allocator, rule, q).allocation
    assert expected is not None
    assert found is not None
    assert found.lines == expected.lines
    assert found.guard_limits_us == expected.guard_limits_us
    assert found.compute == expected.compute
