"""What a change that can be tried is, and what all of them check."""

from __future__ import annotations

from typing import Protocol

from budget_model.domain.whatif.weighted import WeightedRequests
from budget_model.errors import BudgetError

QUEUE_HELD = "The queue is kept as observed; with less work ahead of a request it would shrink too."


class Tactic(Protocol):
    """One change to how requests are served."""

    @property
    def assumption(self) -> str:
        """What must be true for the effect to be had, in a sentence or two."""

    def apply(self, requests: WeightedRequests) -> WeightedRequests:
        """The requests after the change."""


def check_share(name: str, value: float) -> None:
    """Raises BudgetError for what is no share, 0 to 1; ``name`` says what it is of."""
    if not 0 <= value <= 1:
        raise BudgetError(f"{name} {value:g} is not accepted; give 0 to 1")


def check_factor(name: str, value: float) -> None:
    """Raises BudgetError for a factor below 1; ``name`` says what it is of."""
    if not value >= 1:
        raise BudgetError(f"{name} {value:g} is not accepted; give 1 or more")
