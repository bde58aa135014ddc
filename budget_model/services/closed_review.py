"""The review of a week as it stood when the week ended, whatever time and later traffic bring."""

from __future__ import annotations

from dataclasses import replace

from budget_model.errors import NoDataError
from budget_model.queries.counts import time_range
from budget_model.queries.engine import Engine
from budget_model.queries.selection import select
from budget_model.services import review_words as words
from budget_model.services.budgets import Budgets, BudgetView, segment_filter
from budget_model.services.iso_week import Week
from budget_model.services.mlflow_publish_budget import check_approved
from budget_model.services.weekly_review import BudgetReview, WeeklyReview, approved, review_budget


def closed_review(
    engine: Engine, budgets: Budgets, week: Week, now_us: int, only: str | None = None
) -> WeeklyReview:
    """The review of ``week`` as of its end, of every approved budget or ``only`` the one of that name.

    The same data and versions give the same review, whenever it is made. Raises NoDataError for a
    week that is not over or that had no request, BudgetError for a budget that is not approved.
    """
    if now_us < week.until_us:
        raise NoDataError(
            f"week {week} is not over before {words.moment(week.until_us)}; "
            "a review is published when its week is"
        )
    views = approved(budgets, week.until_us, week.until_us) if only is None else [_named(budgets, week, only)]
    if not views:
        raise NoDataError(words.NO_BUDGET)
    found = tuple(_as_of_end(engine, view, week) for view in views)
    if not any(one.check.e2e.n for one in found):
        raise NoDataError(f"week {week} had no request of an approved budget, so there is nothing to publish")
    return WeeklyReview(week, week.until_us, found)


def _named(budgets: Budgets, week: Week, name: str) -> BudgetView:
    view = budgets.get(name, None, week.until_us, week.until_us)
    check_approved(view.budget)
    return view


def _as_of_end(engine: Engine, view: BudgetView, week: Week) -> BudgetReview:
    until_then = segment_filter(view.budget.content.segment).with_times(None, week.until_us)
    seen = time_range(select(engine.table(), until_then))
    found = review_budget(engine, view, week, week.until_us)
    return replace(found, last_seen_us=seen[1] if seen else None)
