"""A budget as a thing: what was promised, for which traffic, derived from what, assuming what."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from budget_model.domain.budget_lines import Line
from budget_model.domain.token_limits import TokenRow

SegmentValues = tuple[tuple[str, tuple[str | None, ...]], ...]
"""Dimension names with the values the budget applies to; empty for all traffic."""


class BudgetState(StrEnum):
    """Where a version stands. Only one version of a budget is approved at a time."""

    DRAFT = "draft"
    PROPOSED = "proposed"
    APPROVED = "approved"
    RETIRED = "retired"


NEXT_STATES: dict[BudgetState, tuple[BudgetState, ...]] = {
    BudgetState.DRAFT: (BudgetState.PROPOSED, BudgetState.RETIRED),
    BudgetState.PROPOSED: (BudgetState.APPROVED, BudgetState.DRAFT, BudgetState.RETIRED),
    BudgetState.APPROVED: (BudgetState.RETIRED,),
    BudgetState.RETIRED: (),
}
"""Which state may follow which."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The sample a budget was derived from; times are UTC microseconds, None without time stamps."""

    n: int
    failed: int
    since_us: int | None
    until_us: int | None
    observed_us: int
    derived_us: int


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What must stay true for the budget to mean what it meant; every tuple is sorted."""

    models: tuple[str, ...]
    hardware: tuple[str, ...]
    prompts: tuple[str, ...]
    rules_fingerprint: str


@dataclass(frozen=True, slots=True)
class BudgetContent:
    """All of a version that never changes once it is saved. Times are whole microseconds.

    ``prefill_scale`` is the chosen point of prefill against decode: prefill as a share of its time
    then; None when both were given one factor.
    """

    segment: SegmentValues
    target_us: int
    q: float
    headroom: float
    strategy: str
    lines: tuple[Line, ...]
    guard_limits_us: dict[str, float]
    tokens: tuple[TokenRow, ...]
    evidence: Evidence
    assumptions: Assumptions
    prefill_scale: float | None = None

    @property
    def effective_us(self) -> int:
        """What the hop lines add up to."""
        return sum(line.us for line in self.lines if line.kind != "headroom")


@dataclass(frozen=True, slots=True)
class Step:
    """One change of state: who, when (UTC microseconds) and why."""

    state: BudgetState
    who: str
    at_us: int
    why: str


@dataclass(frozen=True, slots=True)
class Budget:
    """One version of a named budget with the steps it went through, oldest first."""

    name: str
    version: int
    content: BudgetContent
    steps: tuple[Step, ...]

    @property
    def state(self) -> BudgetState:
        """Where the version stands now."""
        return self.steps[-1].state
