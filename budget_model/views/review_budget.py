"""One budget's week: the facts, the formula, the days, the lines and what moved."""

from __future__ import annotations

import streamlit as st

from budget_model.services import review_charts as charts
from budget_model.services import review_words as said
from budget_model.services.weekly_review import BudgetReview, LineMove, WeeklyReview
from budget_model.views import budget_formula, draw, tables, text
from budget_model.views.charts.review_days import days_figure
from budget_model.views.tables import Cell, Column

LINES = (
    Column("Hop"),
    Column("Line", "r", "what the budget gives the hop"),
    Column("This week", "r", "the hop's bar in the tail"),
    Column("Week before", "r"),
    Column("Moved", "r"),
    Column("", "l", "wide: this week; thin: the week before; upright: the line"),
    Column("Against its line"),
)


def render(review: WeeklyReview, one: BudgetReview) -> None:
    """Draw one budget's part of the review."""
    budget = one.view.budget
    st.html(f'<h3 class="tb-h">{text.markup(budget.name, 100)} · version {budget.version}</h3>')
    for note in said.notes(review, one):
        shown = st.warning if note.startswith("Stale") else st.info
        shown(text.markdown(note, 500), icon=":material/info:")
    facts = "".join(f"<dt>{name}</dt><dd>{text.markup(value, 400)}</dd>" for name, value in said.facts(one))
    with st.container(key="review-facts"):
        st.html(f'<dl class="tb-kv">{facts}</dl>')
    budget_formula.render(one.check, key="review-formula")
    _days(one)
    if not one.has_traffic:
        return
    draw.heading("Lines against the tail, this week and the week before")
    tables.show(LINES, _lines(one), key="review-lines", caption="Lines")
    st.caption(f"{said.moved_words(one)} {said.BARS}")


def _days(one: BudgetReview) -> None:
    left, right = draw.halves("review-days")
    with left:
        draw.subheading(charts.BAD_TITLE)
        bad = days_figure(*charts.bad_columns(one), "bad requests (%)")
        draw.chart(bad, key="review-bad", alt="Share of bad requests by day beside the share allowed")
    with right:
        draw.subheading(charts.LEFT_TITLE)
        budget_left = days_figure(*charts.left_columns(one), "error budget left (%)")
        draw.chart(budget_left, key="review-left", alt="Error budget left at the end of each day of the week")


def _lines(one: BudgetReview) -> list[list[Cell | str]]:
    known = [(line.line_ms, line.bar_ms or 0.0, line.before_ms or 0.0) for line in one.lines]
    full = max((max(values) for values in known), default=0.0)
    return [_line(line, full) for line in one.lines]


def _line(line: LineMove, full: float) -> list[Cell | str]:
    return [
        tables.hop_name(line.hop),
        said.line(line),
        said.bar(line),
        said.bar_before(line),
        said.line_moved(line),
        _bars(line, full),
        said.over_line(line),
    ]


def _bars(line: LineMove, full: float) -> Cell:
    """The bars without SVG, which the page's HTML does not let through."""
    css = "tb-now tb-over" if line.bar_ms is not None and line.bar_ms > line.line_ms else "tb-now"
    scale = 98 / full if full else 0.0
    parts = [
        f'<i class="{css}" style="width:{(line.bar_ms or 0) * scale:.2f}%"></i>',
        f'<i class="tb-before" style="width:{(line.before_ms or 0) * scale:.2f}%"></i>',
        f'<i class="tb-mark" style="left:{line.line_ms * scale:.2f}%"></i>',
    ]
    return Cell(f'<div class="tb-line" aria-hidden="true">{"".join(parts)}</div>')
