"""Answers of the allocator and its neighbours, remembered per generation, filter and question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from budget_model.domain.allocation import SplitRule
from budget_model.domain.budget import Budget
from budget_model.domain.budget_question import Question
from budget_model.domain.frontier import FrontierPoint
from budget_model.domain.whatif.tactic import Tactic
from budget_model.queries.filters import Filter
from budget_model.services.allocating import Proposal
from budget_model.services.attainment import Attainment
from budget_model.services.checking import Check, check_budget
from budget_model.services.whatif import Effect
from budget_model.services.workspace import Workspace


# Answers are frozen values, so sessions share them.
@st.cache_resource(max_entries=256, show_spinner=False)
def _remembered(_service: Any, generation: int, method: str, f: Filter, asked: tuple[Any, ...]) -> Any:
    del generation  # part of the key only
    return getattr(_service, method)(f, *asked)


@st.cache_resource(max_entries=64, show_spinner=False)
def _checked(_workspace: Workspace, generation: int, budget: Budget, f: Filter) -> Check:
    del generation
    return check_budget(_workspace.engine, budget, f)


class BudgetAnswers:
    """The allocator, the what-if and the check with remembered answers; same methods, same results."""

    def __init__(self, workspace: Workspace, generation: int) -> None:
        self._workspace = workspace
        self._generation = generation

    def _ask(self, service: Any, method: str, f: Filter, *asked: Any) -> Any:
        return _remembered(service, self._generation, method, f, asked)

    def propose(self, f: Filter, question: Question, rule: SplitRule) -> Proposal:
        """Lines, tokens and warnings. Raises BudgetError for a rule that lacks what it needs."""
        return self._ask(self._workspace.allocator, "propose", f, question, rule)  # type: ignore[no-any-return]

    def prepare(self, f: Filter) -> None:
        """Have the hops ranked while the answer is being read; the next questions are then cheaper."""
        self._workspace.allocator.prepare(f)

    def attainment(self, f: Filter, target_us: int) -> Attainment:
        """How much of the traffic is inside a target."""
        return self._ask(self._workspace.allocator, "attainment", f, target_us)  # type: ignore[no-any-return]

    def frontier(self, f: Filter, question: Question, scales: Sequence[float]) -> tuple[FrontierPoint, ...]:
        """Decode factors for prefill factors."""
        asked = self._ask(self._workspace.allocator, "frontier", f, question, tuple(scales))
        return tuple(asked)

    def effect(self, f: Filter, q: float, tactics: Sequence[Tactic]) -> Effect:
        """What a stack of changes does to the percentile."""
        return self._ask(self._workspace.what_if, "effect", f, q, tuple(tactics))  # type: ignore[no-any-return]

    def check(self, f: Filter, budget: Budget) -> Check:
        """Traffic under a filter held against a budget."""
        return _checked(self._workspace, self._generation, budget, f)
