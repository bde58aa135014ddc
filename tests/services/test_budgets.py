"""Budgets through the workspace, as two people with a process each would use it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from budget_model.domain.budget import BudgetState
from budget_model.domain.budget_question import Question
from budget_model.domain.strategies import Strategy
from budget_model.errors import BudgetConflictError, BudgetError
from budget_model.queries.filters import Filter
from budget_model.services.budgets import By
from budget_model.services.importing import import_files
from budget_model.services.workspace import Workspace
from tests.lattice import write_lattice
from tests.services.homes import home

NOW_US = 1_796_083_200_000_000
ANN, BOB = By("ann", NOW_US, "a start"), By("bob", NOW_US + 60_000_000, "looks right")


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Workspace, Workspace]]:
    settings = home(tmp_path / "home", workers=1)
    import_files(settings, [write_lattice(tmp_path / "log.parquet", "load", "parquet", n=1000)])
    first, second = Workspace(settings), Workspace(settings)
    yield first, second
    first.close()
    second.close()


def save(workspace: Workspace, target_ms: int, by: By, opened: int) -> int:
    proposal = workspace.allocator.propose(Filter(), Question(target_ms * 1000, 0.99, 0.1))
    return workspace.budgets.save("chat", Filter(), proposal, Strategy.EULER, by, opened).version


def test_the_second_of_two_people_is_told_who_was_first_and_nothing_is_lost(
    two: tuple[Workspace, Workspace],
) -> None:
    ann, bob = two
    save(ann, 5000, ANN, 0)
    save(ann, 6000, ANN, 1)
    with pytest.raises(BudgetConflictError, match="ann saved version 2"):
        save(bob, 7000, BOB, 1)
    assert [view.budget.content.target_us for view in bob.budgets.versions("chat", NOW_US)] == [6e6, 5e6]
    assert save(bob, 7000, BOB, 2) == 3
    fields = {change.field for change in ann.budgets.diff("chat", 2, 3)}
    assert fields


def test_what_one_proposes_the_other_approves(two: tuple[Workspace, Workspace]) -> None:
    ann, bob = two
    save(ann, 5000, ANN, 0)
    ann.budgets.move("chat", 1, BudgetState.PROPOSED, ANN)
    bob.budgets.move("chat", 1, BudgetState.APPROVED, BOB)
    assert ann.budgets.get("chat", None, NOW_US).budget.state is BudgetState.APPROVED
    with pytest.raises(BudgetError, match="is approved"):
        ann.budgets.move("chat", 1, BudgetState.APPROVED, ANN)
    assert [line.who for line in bob.budgets.audit()] == ["bob", "ann", "ann"]


def test_a_budget_remembers_the_sample_it_was_derived_from(two: tuple[Workspace, Workspace]) -> None:
    ann, _ = two
    save(ann, 5000, ANN, 0)
    evidence = ann.budgets.get("chat", 1, NOW_US).budget.content.evidence
    assert (evidence.n, evidence.failed, evidence.derived_us) == (1000, 0, NOW_US)
    assert evidence.since_us is not None
    assert evidence.until_us == evidence.since_us + 999 * 60_000_000 + 1


def test_an_answer_without_lines_is_not_a_budget(two: tuple[Workspace, Workspace]) -> None:
    ann, _ = two
    with pytest.raises(BudgetError, match="no budget to save"):
        save(ann, 10, ANN, 0)
    assert ann.budgets.names() == []
