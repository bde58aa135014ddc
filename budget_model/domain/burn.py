"""Burn rate of an error budget, and when it should page (Google SRE Workbook, chapter 5)."""

from __future__ import annotations

from dataclasses import dataclass

from budget_model.domain import binomial

PERIOD_HOURS = 30 * 24
CHANCE = 0.001


@dataclass(frozen=True, slots=True)
class AlertRule:
    """Alert when ``budget_share`` of the period's budget is spent within ``long_hours``.

    The short window, a twelfth of the long one, makes the alert stop soon after the cause does.
    """

    severity: str  # "page" or "ticket"
    budget_share: float
    long_hours: float
    short_hours: float

    def threshold(self, period_hours: float = PERIOD_HOURS) -> float:
        """The burn rate at which the share is spent in the long window."""
        return self.budget_share * period_hours / self.long_hours


RULES: tuple[AlertRule, ...] = (
    AlertRule("page", 0.02, 1, 1 / 12),
    AlertRule("page", 0.05, 6, 0.5),
    AlertRule("ticket", 0.10, 72, 6),
)


def burn_rate(bad: int, n: int, objective: float) -> float | None:
    """Bad share over the allowed share; None without requests. ``objective`` in (0, 1)."""
    return None if n == 0 else bad / n / (1 - objective)


def max_burn(objective: float) -> float:
    """The burn rate when every request is bad: 1 / (1 - objective)."""
    return 1 / (1 - objective)


def can_fire(rule: AlertRule, objective: float, period_hours: float = PERIOD_HOURS) -> bool:
    """Whether the rule's threshold can be reached at all with this objective."""
    return rule.threshold(period_hours) < max_burn(objective)


def reachable_share(rule: AlertRule, objective: float, period_hours: float = PERIOD_HOURS) -> float:
    """A budget share for which the rule fires once half of all requests are bad."""
    return max_burn(objective) / 2 * rule.long_hours / period_hours


def enough_bad(bad: int, n: int, objective: float) -> bool:
    """Whether so many bad requests are more than chance (0.1 %) at the objective: the low-traffic guard."""
    return n > 0 and binomial.survival(bad, n, 1 - objective) < CHANCE
