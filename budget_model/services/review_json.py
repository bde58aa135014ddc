"""The weekly review as plain JSON values; times in milliseconds, shares of one, moments in ISO UTC."""

from __future__ import annotations

from typing import Any

from budget_model.domain.error_budget import ErrorBudget
from budget_model.queries.results import QuantileEstimate
from budget_model.queries.times import format_time_us
from budget_model.services import review_words as words
from budget_model.services.attainment import Attainment
from budget_model.services.budget_formula import formula_sentences
from budget_model.services.checking import Check
from budget_model.services.weekly_review import BudgetReview, DayReview, LineMove, WeeklyReview


def review_json(review: WeeklyReview) -> dict[str, Any]:
    """The whole review."""
    return {
        "week": str(review.week),
        "since": format_time_us(review.week.since_us),
        "until": format_time_us(review.week.until_us),
        "made": format_time_us(review.made_us),
        "is_over": review.is_over,
        "budgets": [_budget(review, one) for one in review.budgets],
        "next": None if review.budgets else words.NO_BUDGET,
    }


def _budget(review: WeeklyReview, one: BudgetReview) -> dict[str, Any]:
    most = one.moved_most
    return {
        "budget": one.view.budget.name,
        "version": one.view.budget.version,
        "segment": {name: list(values) for name, values in one.content.segment},
        "target_ms": one.content.target_us / 1000,
        "percentile": one.content.q * 100,
        **_check(one.check),
        "attainment": _attainment(one.attainment),
        "burn": one.burn,
        "formula": list(formula_sentences(one.check)),
        "days": [_day(day) for day in one.days],
        "lines": [_line(line) for line in one.lines],
        "moved_most": None if most is None else {"hop": most.hop, "moved_ms": most.moved_ms},
        "before": _check(one.before),
        "stale": list(one.view.stale),
        "notes": list(words.notes(review, one)),
    }


def _check(check: Check) -> dict[str, Any]:
    return {
        "decision": check.decision if check.e2e.n else None,
        "n": check.e2e.n,
        "bad": check.e2e.bad,
        "failed": check.observed.failed,
        "e2e": _estimate(check.observed.estimate),
        "error_budget_left": check.error_budget.left,
        "allowed_bad": check.error_budget.allowed,
    }


def _estimate(value: QuantileEstimate) -> dict[str, Any]:
    return {
        "ms": value.value_ms,
        "low_ms": value.interval.low_ms,
        "high_ms": value.interval.high_ms,
        "n": value.n,
        "grade": value.grade,
    }


def _attainment(found: Attainment) -> dict[str, Any]:
    return {"share": found.share, "low": found.low, "high": found.high, "inside": found.inside, "n": found.n}


def _day(day: DayReview) -> dict[str, Any]:
    so_far: ErrorBudget = day.so_far
    return {
        "day": day.day.isoformat(),
        "n": day.attainment.n,
        "bad": day.bad,
        "failed": day.attainment.failed,
        "e2e": _estimate(day.estimate),
        "burn": day.burn,
        "error_budget_left": so_far.left,
        "note": words.day_note(day),
    }


def _line(line: LineMove) -> dict[str, Any]:
    return {
        "hop": line.hop,
        "line_ms": line.line_ms,
        "bar_ms": line.bar_ms,
        "before_ms": line.before_ms,
        "moved_ms": line.moved_ms,
    }
