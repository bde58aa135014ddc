"""A budget read back from its exported JSON, for machines that share no store with whoever approved it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from budget_model.domain.budget import Budget
from budget_model.domain.possible_budget import first_fault
from budget_model.domain.staleness import stale_reasons
from budget_model.errors import BudgetError
from budget_model.queries.filters import DIMENSIONS
from budget_model.services.budgets import MAX_AGE_DAYS, BudgetView


def is_exported(name: str) -> bool:
    """Whether a name given for a budget is that of an exported file."""
    return name.endswith(".json") and Path(name).is_file()


def read_exported(path: Path, now_us: int) -> BudgetView:
    """The version in a file that ``budgets export --format json`` wrote.

    Of what makes a budget stale only its age can be told, since its traffic is elsewhere. Raises
    BudgetError for a file that is no such budget, naming the field that no saved budget could have.
    """
    try:
        budget = msgspec.json.decode(path.read_bytes(), type=Budget)
    except (OSError, msgspec.DecodeError, RecursionError) as problem:
        raise _refusal(path, problem) from None
    fault = first_fault(budget, now_us, DIMENSIONS)
    if fault is not None:
        raise _refusal(path, fault)
    content = budget.content
    return BudgetView(budget, stale_reasons(content, content.assumptions, now_us, MAX_AGE_DAYS))


def _refusal(path: Path, why: object) -> BudgetError:
    return BudgetError(f"{path}: not a budget as budgets export --format json writes it: {why}")
