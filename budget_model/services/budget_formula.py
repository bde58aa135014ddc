"""How the error budget left is computed, with the numbers of one view: one wording for all who show it."""

from __future__ import annotations

from budget_model.domain.error_budget import ErrorBudget
from budget_model.services.checking import Check

TITLE = "How the error budget left is computed"
UNTOUCHED = "No requests: the error budget is untouched and its use is not defined."


def left_words(budget: ErrorBudget) -> str:
    """What is left, to a tenth of a percent: ``63.5 % left``, ``overspent by 20.0 %``."""
    if budget.left is None:
        return "untouched: no requests"
    percent = 100 * budget.left
    return f"{percent:.1f} % left" if budget.left >= 0 else f"overspent by {-percent:.1f} %"


def formula_sentences(found: Check) -> tuple[str, ...]:
    """The definition, then each of its parts with the numbers of this check."""
    return sentences(found.error_budget, found.observed.failed, found.budget.content.target_us)


def sentences(budget: ErrorBudget, failed: int, target_us: int) -> tuple[str, ...]:
    """Like ``formula_sentences``; ``failed`` of the budget's bad requests failed, the others were slow."""
    if budget.left is None:
        return (UNTOUCHED,)
    allowed = number(budget.allowed)
    return (
        "Error budget left = 1 - bad / allowed bad.",
        f"Allowed bad = (1 - {budget.objective:.6g}) x {budget.n:,} requests = {allowed}.",
        f"Bad = {budget.bad:,} ({budget.bad - failed:,} slow + {failed:,} failed); "
        f"slow is longer than {target_us / 1000:,g} ms.",
        f"Left = 1 - {budget.bad:,} / {allowed} = {_percent(budget.left)}.",
    )


def _percent(left: float) -> str:
    said = f"{100 * left:.1f} %"
    return said if left >= 0 else f"{said}, which is overspent"


def number(value: float) -> str:
    """At most two decimals, none that say nothing.

    >>> [number(x) for x in (123.45, 1.0000000000000002, 12_000.5, 0.1)]
    ['123.45', '1', '12,000.5', '0.1']
    """
    return f"{value:,.2f}".rstrip("0").rstrip(".")
