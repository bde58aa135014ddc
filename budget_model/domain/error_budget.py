"""How much of the allowed bad requests is left: one definition for every place that shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ErrorBudget:
    """``n`` requests of which ``bad`` failed or were late, against an ``objective`` in (0, 1).

    Hours without requests add nothing to either, so a quiet day leaves the budget as it is.
    """

    objective: float
    n: int
    bad: int

    @property
    def allowed(self) -> float:
        """Bad requests the objective leaves room for: (1 - objective) x n."""
        return (1 - self.objective) * self.n

    @property
    def left(self) -> float | None:
        """Share of the allowed bad requests not yet used; below 0 when overspent, None without requests."""
        return None if self.n == 0 else 1 - self.bad / self.allowed
