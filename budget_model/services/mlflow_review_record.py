"""A weekly review as a run to publish: the figures of each budget under names that every server takes."""

from __future__ import annotations

from collections import Counter

import msgspec

from budget_model.exports.mlflow_names import name_part
from budget_model.exports.mlflow_run import (
    Artifact,
    RunKind,
    RunRecord,
    budget_tags,
    run_record,
    segment_words,
)
from budget_model.queries.times import format_time_us
from budget_model.services import review_words as words
from budget_model.services.review_html import review_html
from budget_model.services.review_json import review_json
from budget_model.services.weekly_review import BudgetReview, WeeklyReview


def review_record(review: WeeklyReview) -> RunRecord:
    """The record of a review of at least one budget; the review must not depend on the clock."""
    week, document = review.week, msgspec.json.encode(review_json(review))
    return run_record(
        RunKind.REVIEW,
        f"{RunKind.REVIEW} {week}: {_budgets(review)}",
        params={
            "week": week,
            "from": format_time_us(week.since_us),
            "to": format_time_us(week.until_us),
            "zone": "UTC",
        },
        metrics={key: value for one in review.budgets for key, value in _metrics(one).items()},
        tags={
            "tailbudget.week": str(week),
            "tailbudget.budgets": ", ".join(_versioned(one) for one in review.budgets),
            "mlflow.note.content": _note(review),
            **(budget_tags(review.budgets[0].view.budget) if len(review.budgets) == 1 else {}),
            **{key: value for one in review.budgets for key, value in _tags(one).items()},
        },
        artifacts=(
            Artifact("review.json", msgspec.json.format(document).decode() + "\n"),
            Artifact("review.html", review_html(review)),
        ),
    )


def _metrics(one: BudgetReview) -> dict[str, float | None]:
    e2e, inside, estimate = one.check.e2e, one.attainment, one.check.observed.estimate
    found: dict[str, float | None] = {
        "n": e2e.n,
        # Of a week without requests none is known to be bad or fine.
        "bad": e2e.bad if e2e.n else None,
        "failed": one.check.observed.failed if e2e.n else None,
        "attainment": inside.share,
        "attainment_low": inside.low,
        "attainment_high": inside.high,
        "error_budget_left": one.check.error_budget.left,
        "burn": one.burn,
        "e2e_ms": estimate.value_ms,
        "e2e_low_ms": estimate.interval.low_ms,
        "e2e_high_ms": estimate.interval.high_ms,
        "e2e_n": estimate.n,
    }
    part = name_part(one.view.budget.name)
    return {f"{key}.{part}": value for key, value in found.items()}


def _tags(one: BudgetReview) -> dict[str, str]:
    """What the part of a name stands for, and what was decided."""
    budget = one.view.budget
    part = name_part(budget.name)
    return {
        f"tailbudget.budget.{part}": budget.name,
        f"tailbudget.version.{part}": str(budget.version),
        f"tailbudget.segment.{part}": segment_words(budget.content.segment),
        f"tailbudget.decision.{part}": _decision(one),
    }


def _decision(one: BudgetReview) -> str:
    return str(one.check.decision) if one.check.e2e.n else words.NO_REQUESTS


def _versioned(one: BudgetReview) -> str:
    return f"{one.view.budget.name} v{one.view.budget.version}"


def _budgets(review: WeeklyReview) -> str:
    return _versioned(review.budgets[0]) if len(review.budgets) == 1 else f"{len(review.budgets):,} budgets"


def _note(review: WeeklyReview) -> str:
    """Without names, as MLflow shows it as markdown."""
    decided = Counter(_decision(one) for one in review.budgets)
    return f"{words.span(review)}: {', '.join(f'{said} {n:,}' for said, n in sorted(decided.items()))}."
