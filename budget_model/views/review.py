"""The weekly review: the document of a week, with a picker and a download."""

from __future__ import annotations

import streamlit as st

from budget_model.errors import FilterError
from budget_model.services import clock
from budget_model.services import review_words as said
from budget_model.services.budget_formula import left_words
from budget_model.services.iso_week import Week, parse_week
from budget_model.services.review_html import review_html
from budget_model.services.weekly_review import BudgetReview, WeeklyReview, offered_weeks
from budget_model.views import address, draw, review_budget, review_publish, tables, text
from budget_model.views.frame import Page
from budget_model.views.review_answers import reviewed
from budget_model.views.tables import Cell, Column

COLUMNS = (
    Column("Budget"),
    Column("Target"),
    Column("Verdict"),
    Column("Error budget", "l", "of the bad requests the target allows this week"),
    Column("Inside the target", "r", "share of the requests; failures are outside"),
)
NO_TIME = (
    "No stored request carries a time, so no week can be reviewed. Import traces or a request log with "
    "start times."
)


def render(page: Page) -> None:
    """Draw the page."""
    now_us = clock.now_us()
    weeks = offered_weeks(page.workspace.engine, page.workspace.budgets, now_us)
    if not weeks:
        st.info(NO_TIME, icon=":material/calendar_month:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="review-head"):
        week = _week(weeks, now_us)
        found = reviewed(page, week, now_us)
        _download(found)
    draw.heading(f"Week {week}")
    st.caption(f"{said.span(found)}. Each budget is held against its own segment; the filter does not apply.")
    if not found.budgets:
        _nothing(page)
        return
    tables.show(COLUMNS, [row(week, one) for one in found.budgets], key="review-list", caption="Budgets")
    review_budget.render(found, _chosen(found))
    review_publish.render(page, found)


def _week(weeks: tuple[Week, ...], now_us: int) -> Week:
    """The week asked for; else the last full one, as the command has it, where there is traffic so old."""
    asked = address.read("week")
    options = {str(week): week for week in weeks}
    if asked and asked not in options:
        try:
            options[asked] = parse_week(asked)
        except FilterError as refusal:
            st.warning(text.markdown(str(refusal), 200))
    usual = next((week for week in weeks if week.until_us <= now_us), weeks[0])
    chosen = address.choose("week", "Week (ISO, UTC)", tuple(options), _label, default=str(usual), width=330)
    return options[chosen]


def _label(name: str) -> str:
    days = parse_week(name).days
    return f"{name}: {said.day_label(days[0])} to {said.day_label(days[-1])}"


def _download(found: WeeklyReview) -> None:
    st.download_button(
        "Download to print",
        review_html(found),
        file_name=f"latency-review-{found.week}.html",
        mime="text/html",
        icon=":material/download:",
        key="review-download",
        help="One HTML page without anything from outside; open it and print it on A4.",
        on_click="ignore",
    )


def _nothing(page: Page) -> None:
    st.info(said.NO_BUDGET, icon=":material/savings:")
    for name, label in (("Allocator", "Divide a target in the Allocator"), ("Budgets", "Saved budgets")):
        st.page_link(
            address.PAGES[name],
            label=label,
            query_params=address.query(page.filter),
            icon=":material/arrow_forward:",
        )


def row(week: Week, one: BudgetReview) -> list[Cell | str]:
    """A budget in the list."""
    name = one.view.budget.name
    href = address.href("Review", address.current_filter()[0], week=str(week), budget=name)
    return [
        tables.link(name, href),
        said.target(one),
        said.verdict(one),
        left_words(one.check.error_budget),
        said.share(one.attainment.share),
    ]


def _chosen(found: WeeklyReview) -> BudgetReview:
    by_name = {one.view.budget.name: one for one in found.budgets}
    return by_name[address.one_of("budget", by_name, next(iter(by_name)))]
