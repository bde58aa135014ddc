"""What people may call budgets and themselves: one line of text that shows, and fits the database."""

from __future__ import annotations

import unicodedata

from budget_model.errors import BudgetError

LONGEST_NAME = 200
"""Characters of a name."""

_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"


def check_name(what: str, name: str) -> str:
    """The name, when it can stand in a sentence. ``what`` says whose it is, such as "a budget's name".

    Raises BudgetError for a name that is too long or holds line breaks, other control characters or
    marks that turn the direction of writing; what joins letters of some scripts is accepted.
    """
    if len(name) > LONGEST_NAME:
        raise BudgetError(
            f"{what} of {len(name):,} characters is too long; up to {LONGEST_NAME} are accepted"
        )
    if any(unicodedata.category(one) in _UNSEEN and one not in _JOINERS for one in name):
        raise BudgetError(
            f"{what} {name!a} holds a line break or another character that does not show; "
            "one line of text is accepted"
        )
    return name
