"""The two charts by day of the review, as values; the page and the document draw the same."""

from __future__ import annotations

from budget_model.exports.svg_columns import Column, Limit
from budget_model.services import review_words as words
from budget_model.services.weekly_review import BudgetReview

BAD_TITLE = "Bad requests by day, % of the day's requests"
LEFT_TITLE = "Error budget left at the day's end, % of the week's so far"


def bad_columns(one: BudgetReview) -> tuple[tuple[Column, ...], Limit]:
    """The share of bad requests by day, in percent, beside the share that is allowed."""
    columns = tuple(
        _column(
            words.day_label(day.day), words.day_note(day), day.bad / n if (n := day.attainment.n) else None
        )
        for day in one.days
    )
    allowed = 100 * (1 - one.content.q)
    return columns, Limit(allowed, f"allowed: {allowed:.6g} %", over_is_bad=True)


def left_columns(one: BudgetReview) -> tuple[tuple[Column, ...], Limit]:
    """Error budget left in percent, counted from Monday; a quiet day leaves it as it was."""
    columns = tuple(
        _column(
            words.day_label(day.day),
            "" if day.attainment.n else words.day_note(day),
            None if day.to_come else day.so_far.left,
        )
        for day in one.days
    )
    return columns, Limit(0.0, "spent: 0 %", over_is_bad=False)


def _column(label: str, note: str, share: float | None) -> Column:
    if share is None:
        return Column(label, note, None, "")
    return Column(label, note, 100 * share, f"{100 * share:.1f} %".replace("-", "−"))
