from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from sqlalchemy import inspect, update

from budget_model.domain.allocation import allocate
from budget_model.domain.budget import Assumptions, Budget, BudgetContent, BudgetState, Evidence
from budget_model.domain.budget_question import Question
from budget_model.domain.token_limits import TokenRow
from budget_model.errors import BudgetConflictError, BudgetError
from budget_model.store.budget_catalog import BudgetCatalog, By
from budget_model.store.budget_models import SqlBudget, SqlStep
from budget_model.store.ledger import Ledger
from tests.domain.lattices import lattice

ANN, BOB = By("ann", 1_796_083_200_000_000, "first"), By("bob", 1_796_083_260_000_000, "looks right")


@pytest.fixture
def catalog(ledger: Ledger) -> BudgetCatalog:
    return BudgetCatalog(ledger)


def content(target_ms: int = 5000) -> BudgetContent:
    question = Question(target_ms * 1000, 0.99, 0.1)
    answer = allocate(lattice("load"), question)
    return BudgetContent(
        segment=(("tenant", ("Müller & Söhne", None)), ("workload", ("chat",))),
        target_us=question.target_us,
        q=question.q,
        headroom=question.headroom,
        strategy="euler",
        lines=answer.lines,
        guard_limits_us={str(hop): limit for hop, limit in answer.guard_limits_us.items()},
        tokens=(TokenRow("1k-4k", 2000, False, 900, 151, 19.9, 880),),
        evidence=Evidence(10_007, 3, None, None, 5_639_142, ANN.at_us),
        assumptions=Assumptions(("llama",), (), ("answer@3",), "abc"),
    )


def test_what_is_saved_is_what_is_read(catalog: BudgetCatalog) -> None:
    saved = catalog.save_draft("chat", content(), ANN, 0)
    assert catalog.version("chat") == saved
    assert saved.content == content()
    assert (saved.version, saved.state, saved.steps[0].who) == (1, BudgetState.DRAFT, "ann")


def test_a_later_version_leaves_the_earlier_one_as_it_was(catalog: BudgetCatalog) -> None:
    catalog.save_draft("chat", content(), ANN, 0)
    catalog.save_draft("chat", content(6000), BOB, 1)
    assert [v.content.target_us for v in catalog.versions("chat")] == [6_000_000, 5_000_000]


def test_the_second_of_two_who_save_at_once_is_told_and_nothing_is_lost(catalog: BudgetCatalog) -> None:
    catalog.save_draft("chat", content(), ANN, 0)
    catalog.save_draft("chat", content(6000), ANN, 1)
    with pytest.raises(BudgetConflictError, match="ann saved version 2"):
        catalog.save_draft("chat", content(7000), BOB, 1)
    assert len(catalog.versions("chat")) == 2
    assert catalog.save_draft("chat", content(7000), BOB, 2).version == 3


def test_of_many_who_save_the_same_version_at_the_same_moment_one_wins(catalog: BudgetCatalog) -> None:
    won: list[Budget] = []
    told: list[BudgetConflictError] = []
    start = threading.Barrier(8)

    def save(number: int) -> None:
        start.wait()
        try:
            won.append(catalog.save_draft("race", content(), By(f"user {number}", ANN.at_us, ""), 0))
        except BudgetConflictError as conflict:
            told.append(conflict)

    threads = [threading.Thread(target=save, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(told)) == (1, 7)
    assert len(catalog.versions("race")) == 1


def test_a_budget_goes_from_draft_to_approved_by_two_people(catalog: BudgetCatalog) -> None:
    catalog.save_draft("chat", content(), ANN, 0)
    catalog.move("chat", 1, BudgetState.PROPOSED, ANN)
    with pytest.raises(BudgetError, match="somebody else"):
        catalog.move("chat", 1, BudgetState.APPROVED, ANN)
    approved = catalog.move("chat", 1, BudgetState.APPROVED, BOB)
    assert [step.state for step in approved.steps] == ["draft", "proposed", "approved"]
    assert approved.steps[-1].why == "looks right"


def test_approving_a_version_retires_the_one_approved_before(catalog: BudgetCatalog) -> None:
    for version in (1, 2):
        catalog.save_draft("chat", content(4000 + version), ANN, version - 1)
        catalog.move("chat", version, BudgetState.PROPOSED, ANN)
        catalog.move("chat", version, BudgetState.APPROVED, BOB)
    assert [v.state for v in catalog.versions("chat")] == ["approved", "retired"]
    assert catalog.version("chat").version == 2


@pytest.mark.parametrize("state", [BudgetState.APPROVED, BudgetState.DRAFT])
def test_a_step_that_is_not_allowed_is_refused_and_leaves_no_trace(
    catalog: BudgetCatalog, state: BudgetState
) -> None:
    saved = catalog.save_draft("chat", content(), ANN, 0)
    with pytest.raises(BudgetError, match="it can become"):
        catalog.move("chat", 1, state, BOB)
    assert catalog.version("chat") == saved
    assert len(catalog.audit()) == 1


def test_every_step_stands_in_the_audit_log(catalog: BudgetCatalog) -> None:
    catalog.save_draft("chat", content(), ANN, 0)
    catalog.move("chat", 1, BudgetState.PROPOSED, ANN)
    lines = [(line.who, line.action, line.subject) for line in catalog.audit()]
    assert lines == [("ann", "proposed", "budget chat version 1"), ("ann", "save", "budget chat version 1")]


def test_a_name_that_does_not_exist_is_answered_with_those_that_do(catalog: BudgetCatalog) -> None:
    catalog.save_draft("chat", content(), ANN, 0)
    with pytest.raises(BudgetError, match="budgets: chat"):
        catalog.version("caht")
    with pytest.raises(BudgetError, match="newest is 1"):
        catalog.version("chat", 9)


def test_nobody_acts_without_a_name(catalog: BudgetCatalog) -> None:
    with pytest.raises(BudgetError, match="name is needed"):
        catalog.save_draft("chat", content(), replace(ANN, who=" "), 0)


def test_names_that_would_break_a_sentence_are_not_saved(catalog: BudgetCatalog) -> None:
    with pytest.raises(BudgetError, match="a budget's name 'a"):
        catalog.save_draft("a\nb", content(), ANN, 0)
    with pytest.raises(BudgetError, match="201 characters is too long"):
        catalog.save_draft("n" * 201, content(), ANN, 0)
    with pytest.raises(BudgetError, match="a person's name"):
        catalog.save_draft("chat", content(), replace(ANN, who="ann\x1b[2J"), 0)
    assert catalog.names() == []


def test_a_name_from_before_such_names_were_refused_is_still_read_and_moved(
    catalog: BudgetCatalog, ledger: Ledger
) -> None:
    catalog.save_draft("chat", content(), ANN, 0)
    with ledger.engine.begin() as connection:
        connection.execute(update(SqlBudget).values(name="a\nb"))
        connection.execute(update(SqlStep).values(who="ann\nlee"))
    assert catalog.names() == ["a\nb"]
    assert catalog.version("a\nb").steps[0].who == "ann\nlee"
    assert catalog.move("a\nb", 1, BudgetState.PROPOSED, BOB).state is BudgetState.PROPOSED


def test_a_retired_version_is_said_to_be_final(catalog: BudgetCatalog) -> None:
    catalog.save_draft("chat", content(), ANN, 0)
    catalog.move("chat", 1, BudgetState.RETIRED, ANN)
    with pytest.raises(BudgetError, match="version 1 of 'chat' is retired, which is final") as refused:
        catalog.move("chat", 1, BudgetState.RETIRED, ANN)
    assert "nothing" not in str(refused.value)


def test_names_with_quotes_and_percent_signs_are_only_names(catalog: BudgetCatalog) -> None:
    hostile = "x'; DROP TABLE budget_versions; -- %s \\ 🙂"
    catalog.save_draft(hostile, content(), ANN, 0)
    assert catalog.names() == [hostile]
    assert catalog.version(hostile).name == hostile


def test_migrations_lead_from_nothing_to_all_tables(ledger: Ledger) -> None:
    tables = set(inspect(ledger.engine).get_table_names())
    assert {
        "imports",
        "rejects",
        "segments",
        "state",
        "budget_versions",
        "budget_steps",
        "audit_log",
    } <= tables
