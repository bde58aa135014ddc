"""The weekly review as one self-contained HTML document, made to be printed on A4."""

from __future__ import annotations

from budget_model.exports import html_page as page
from budget_model.exports.html_page import Markup
from budget_model.exports.svg_columns import columns_svg, line_svg
from budget_model.services import review_charts as charts
from budget_model.services import review_words as words
from budget_model.services.budget_formula import TITLE, formula_sentences, left_words
from budget_model.services.weekly_review import BudgetReview, LineMove, WeeklyReview

LINE_HEADS = ("Hop", "Line", "This week", "Week before", "Moved", "", "Against its line")


def review_html(review: WeeklyReview) -> str:
    """The document. Labels from data are escaped."""
    title = f"Weekly latency review {review.week}"
    head = [page.element("h1", page.text(title)), page.paragraph(words.span(review), "sub")]
    if not review.budgets:
        return page.page(title, [*head, page.paragraph(words.NO_BUDGET)])
    sections = [page.element("section", Markup("\n".join(_budget(review, one)))) for one in review.budgets]
    made = page.paragraph(f"As of {words.moment(review.made_us)}, by Tailbudget. {BASIS}", "sub")
    return page.page(title, [*head, _overview(review), *sections, made])


BASIS = (
    "Failures count as bad requests. Percentiles are nearest rank over ok requests; intervals take "
    "requests as independent or as clustered as they were measured to be."
)


def _overview(review: WeeklyReview) -> Markup:
    heads = ("Budget", "Target", "Verdict", "Error budget", "Inside the target")
    rows = [
        [
            page.text(one.view.budget.name),
            page.text(words.target(one)),
            page.text(words.verdict(one)),
            page.text(left_words(one.check.error_budget)),
            page.text(words.share(one.attainment.share)),
        ]
        for one in review.budgets
    ]
    return page.table(heads, rows, frozenset())


def _budget(review: WeeklyReview, one: BudgetReview) -> list[Markup]:
    budget = one.view.budget
    return [
        page.element("h2", page.text(f"{budget.name}, version {budget.version}")),
        *(page.paragraph(note, "note") for note in words.notes(review, one)),
        page.facts(words.facts(one)),
        page.details(TITLE, formula_sentences(one.check)),
        _charts(one),
        *([_lines(one), page.paragraph(f"{words.moved_words(one)} {words.BARS}")] if one.has_traffic else []),
    ]


def _charts(one: BudgetReview) -> Markup:
    bad = columns_svg(charts.BAD_TITLE, *charts.bad_columns(one))
    left = columns_svg(charts.LEFT_TITLE, *charts.left_columns(one))
    return page.element("div", Markup(bad + left), "charts")


def _lines(one: BudgetReview) -> Markup:
    known = [(line.line_ms, line.bar_ms or 0.0, line.before_ms or 0.0) for line in one.lines]
    full = max((max(values) for values in known), default=0.0)
    return page.table(LINE_HEADS, [_line(line, full) for line in one.lines], frozenset({1, 2, 3, 4}))


def _line(line: LineMove, full: float) -> list[Markup]:
    return [
        page.element("span", page.text(line.hop), "nw"),
        page.text(words.line(line)),
        page.text(words.bar(line)),
        page.text(words.bar_before(line)),
        page.text(words.line_moved(line)),
        Markup(line_svg(line.line_ms, line.bar_ms, line.before_ms, full)),
        page.text(words.over_line(line)),
    ]
