"""Whether a budget still speaks of the traffic it was derived from."""

from __future__ import annotations

from budget_model.domain.budget import Assumptions, BudgetContent

DAY_US = 86_400_000_000


def stale_reasons(
    content: BudgetContent, present: Assumptions, now_us: int, max_age_days: int
) -> tuple[str, ...]:
    """Reasons, in sentences, why the budget no longer matches; empty when it does.

    ``present`` is what the same segment's recent traffic shows. Values that disappeared do not
    make a budget stale: quiet is not a change.
    """
    assumed = content.assumptions
    found = [
        *_new_values("model", assumed.models, present.models),
        *_new_values("hardware", assumed.hardware, present.hardware),
        *_new_values("prompt version", assumed.prompts, present.prompts),
    ]
    # Without a fingerprint the budget came from rows that carry their own hops, not from mapped spans.
    if assumed.rules_fingerprint and present.rules_fingerprint != assumed.rules_fingerprint:
        found.append("The hop mapping changed since, so its lines may mean other spans.")
    age_days = (now_us - content.evidence.derived_us) // DAY_US
    if age_days > max_age_days:
        found.append(f"It was derived {age_days} days ago; budgets are good for {max_age_days} days.")
    return tuple(found)


def _new_values(what: str, assumed: tuple[str, ...], present: tuple[str, ...]) -> list[str]:
    fresh = sorted(set(present) - set(assumed))
    return [f"New {what} in its traffic: {', '.join(fresh)}."] if fresh else []
