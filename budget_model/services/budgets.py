"""Budgets from proposals: saved, moved through their states, and watched for going stale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from budget_model.domain.budget import (
    Assumptions,
    Budget,
    BudgetContent,
    BudgetState,
    Evidence,
    SegmentValues,
)
from budget_model.domain.budget_diff import Change, differences
from budget_model.domain.staleness import stale_reasons
from budget_model.domain.strategies import Strategy
from budget_model.errors import BudgetError
from budget_model.queries.counts import time_range
from budget_model.queries.engine import Engine
from budget_model.queries.filters import DIMENSIONS, Filter
from budget_model.queries.labels import labels_present
from budget_model.queries.selection import Selection, select
from budget_model.services.allocating import Proposal
from budget_model.store.budget_catalog import AuditLine as AuditLine
from budget_model.store.budget_catalog import BudgetCatalog
from budget_model.store.budget_catalog import By as By

MAX_AGE_DAYS = 30


@dataclass(frozen=True, slots=True)
class BudgetView:
    """A version as it is shown anywhere: with the reasons, if any, why it is stale."""

    budget: Budget
    stale: tuple[str, ...]


class Budgets:
    """The one way to budgets for pages and commands."""

    def __init__(self, catalog: BudgetCatalog, engine: Engine, rules_fingerprint: Callable[[], str]) -> None:
        self._catalog = catalog
        self._engine = engine
        self._rules_fingerprint = rules_fingerprint

    def save(
        self, name: str, chosen: Filter, proposal: Proposal, strategy: Strategy, by: By, opened_version: int
    ) -> Budget:
        """Save a feasible proposal as a new draft on top of ``opened_version`` (0: a new name).

        Raises BudgetError when there is nothing to save, BudgetConflictError when somebody else
        saved in between.
        """
        content = self._content(chosen, proposal, strategy, by.at_us)
        return self._catalog.save_draft(name, content, by, opened_version)

    def move(self, name: str, version: int, state: BudgetState, by: By) -> Budget:
        """Propose, approve, send back or retire one version."""
        return self._catalog.move(name, version, state, by)

    def names(self) -> list[str]:
        """Names of all budgets."""
        return self._catalog.names()

    def versions(self, name: str, now_us: int) -> list[BudgetView]:
        """All versions, newest first."""
        return [self._view(budget, now_us) for budget in self._catalog.versions(name)]

    def get(self, name: str, version: int | None, now_us: int, until_us: int | None = None) -> BudgetView:
        """One version; without a number the approved one, else the newest.

        Requests from ``until_us`` on do not make it stale (None: all of them may).
        """
        return self._view(self._catalog.version(name, version), now_us, until_us)

    def diff(self, name: str, before: int, after: int) -> tuple[Change, ...]:
        """What changed from one version to another."""
        old, new = self._catalog.version(name, before), self._catalog.version(name, after)
        return differences(old.content, new.content)

    def audit(self, limit: int = 200) -> list[AuditLine]:
        """Newest lines of the audit log."""
        return self._catalog.audit(limit)

    def _view(self, budget: Budget, now_us: int, until_us: int | None = None) -> BudgetView:
        chosen = segment_filter(budget.content.segment)
        recent = chosen.with_times(budget.content.evidence.until_us, until_us)
        present = self._assumptions(select(self._engine.table(), recent))
        return BudgetView(budget, stale_reasons(budget.content, present, now_us, MAX_AGE_DAYS))

    def _content(self, chosen: Filter, proposal: Proposal, strategy: Strategy, now_us: int) -> BudgetContent:
        allocation = proposal.allocation
        if allocation is None or allocation.infeasible is not None:
            reasons = " ".join(proposal.refusals) or "the target cannot be met as asked"
            raise BudgetError(f"there is no budget to save: {reasons}")
        selection = select(self._engine.table(), chosen)
        window = time_range(selection)
        since, until = (window[0], window[1] + 1) if window else (None, None)
        return BudgetContent(
            segment=segment_values(chosen),
            target_us=allocation.question.target_us,
            q=proposal.question.q,
            headroom=allocation.question.headroom,
            strategy=str(strategy),
            lines=allocation.lines,
            guard_limits_us={str(hop): limit for hop, limit in allocation.guard_limits_us.items()},
            tokens=proposal.tokens,
            evidence=Evidence(
                proposal.n, proposal.failed, since, until, round(allocation.observed_us), now_us
            ),
            assumptions=self._assumptions(selection),
            prefill_scale=allocation.point.prefill_scale if allocation.point else None,
        )

    def _assumptions(self, selection: Selection) -> Assumptions:
        return Assumptions(
            models=labels_present(selection, "model"),
            hardware=labels_present(selection, "hardware"),
            prompts=labels_present(selection, "prompt"),
            rules_fingerprint=self._rules_fingerprint(),
        )


def segment_values(chosen: Filter) -> SegmentValues:
    """The dimensions a filter restricts; its time range is evidence, not segment."""
    named = ((dimension, getattr(chosen, dimension)) for dimension in DIMENSIONS)
    return tuple((dimension, values) for dimension, values in named if values)


def segment_filter(segment: SegmentValues) -> Filter:
    """The filter that selects a budget's segment at any time."""
    chosen = Filter()
    for dimension, values in segment:
        chosen = chosen.with_values(dimension, values)
    return chosen
