"""Which step a version may take next, and by whom."""

from __future__ import annotations

from collections.abc import Sequence

from budget_model.domain.budget import NEXT_STATES, BudgetState, Step


def step_refusal(steps: Sequence[Step], state: BudgetState, who: str) -> str | None:
    """Why ``who`` may not bring a version with these steps (one at least) to ``state``.

    The words go on after a name of the version; None when the step is allowed.
    """
    last = steps[-1]
    following = NEXT_STATES[last.state]
    if not following:
        return f"is {last.state}, which is final: save a new version in its place"
    if state not in following:
        return f"is {last.state}; it can become {', '.join(following)}, not {state}"
    if state is BudgetState.APPROVED and last.who == who:
        return f"was proposed by {who!r}; somebody else must approve it"
    return None
