"""A budget read back from its exported JSON, for machines that share no store with whoever approved it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from budget_model.domain.budget import Budget
from budget_model.domain.budget_lines import HEADROOM
from budget_model.domain.budget_question import Question
from budget_model.domain.hops import HOPS
from budget_model.domain.staleness import stale_reasons
from budget_model.errors import BudgetError
from budget_model.services.budgets import MAX_AGE_DAYS, BudgetView


def is_exported(name: str) -> bool:
    """Whether a name given for a budget is that of an exported file."""
    return name.endswith(".json") and Path(name).is_file()


def read_exported(path: Path, now_us: int) -> BudgetView:
    """The version in a file that ``budgets export --format json`` wrote.

    Of what makes a budget stale only its age can be told, since its traffic is elsewhere. Raises
    BudgetError for a file that is no such budget.
    """
    try:
        budget = msgspec.json.decode(path.read_bytes(), type=Budget)
    except (OSError, msgspec.DecodeError) as problem:
        raise BudgetError(
            f"{path}: not a budget as budgets export --format json writes it: {problem}"
        ) from None
    content = budget.content
    Question(content.target_us, content.q, content.headroom)
    named = {line.name for line in content.lines} | set(content.guard_limits_us)
    unknown = sorted(named - {HEADROOM, *HOPS})
    if unknown or not budget.steps:
        wrong = f"{unknown[0]!r} is no hop" if unknown else "it has no state"
        raise BudgetError(f"{path}: not a budget as budgets export --format json writes it: {wrong}")
    return BudgetView(budget, stale_reasons(content, content.assumptions, now_us, MAX_AGE_DAYS))
