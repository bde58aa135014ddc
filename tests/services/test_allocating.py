"""What the allocator prepares ahead changes how soon it answers, never what."""

from __future__ import annotations

from pathlib import Path

import pytest

from budget_model.domain.allocation import SplitRule
from budget_model.domain.budget_question import Question
from budget_model.domain.hops import Hop
from budget_model.domain.strategies import Strategy
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
