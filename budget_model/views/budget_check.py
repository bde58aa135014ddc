"""Traffic held against a version: the verdict in words, end to end and line by line."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from budget_model.domain.verdict import Decision, Verdict
from budget_model.queries.filters import Filter
from budget_model.services.budget_formula import left_words
from budget_model.services.budget_words import MEANING, verdict_words
from budget_model.services.budgets import BudgetView, segment_filter
from budget_model.services.checking import Check, LineCheck
from budget_model.views import address, budget_formula, draw, explain, tables
from budget_model.views import format as words
from budget_model.views.budget_answers import BudgetAnswers
from budget_model.views.tables import Cell, Column

AGAINST = {"all": "All its traffic", "new": "Traffic since it was derived"}

COLUMNS = (
    Column("Hop"),
    Column("Line", "r"),
    Column("In the tail now", "r"),
    Column("Own limit", "r", "the percentile of the hop alone; limits do not add"),
    Column("Over it", "r"),
    Column("Verdict"),
)


def traffic(view: BudgetView, against: str) -> Filter:
    """The requests a version is held against: its segment, all or only later ones."""
    chosen = segment_filter(view.budget.content.segment)
    return replace(chosen, since_us=view.budget.content.evidence.until_us) if against == "new" else chosen


def render(answers: BudgetAnswers, view: BudgetView) -> None:
    """Draw the check."""
    draw.heading("Held against traffic")
    against = address.pick("against", "Traffic", tuple(AGAINST), "all", AGAINST.__getitem__, titled=False)
    chosen = traffic(view, against)
    found = answers.check(chosen, view.budget)
    if not found.e2e.n:
        st.caption("There is no such traffic yet.")
        return
    css = {Decision.PASS: "tb-kept", Decision.FAIL: "tb-missed"}.get(found.decision, "")
    with st.container(key="budget-verdict"):
        st.html(f'<div class="tb-lead {css}">{verdict_markup(found)}</div>')
    budget_formula.render(found, key="check-formula")
    tables.show(COLUMNS, [line_cells(line) for line in found.lines], key="check-lines")
    lines = [
        f"Bad requests: {found.e2e.bad:,} of {found.e2e.n:,}, failures included.",
        verdict_words(found.e2e),
        "A verdict is wrong in at most one case of twenty. Requests are taken as independent.",
        "Lines judge each hop by its own limit; they say where to look and do not decide.",
    ]
    explain.behind("Three possible verdicts", lines, key="budget-check", links=_traces(view), f=chosen)


def _traces(view: BudgetView) -> list[tuple[str, str, dict[str, str]]]:
    return [explain.traces_at(view.budget.content.q)]


def verdict_markup(found: Check) -> str:
    """The verdict end to end, in words."""
    content, e2e = found.budget.content, found.e2e
    return (
        f"<b>{found.decision}</b>: {MEANING[found.decision]}. {e2e.bad:,} of {e2e.n:,} requests "
        f"({words.share(e2e.bad / e2e.n)}) took longer than {words.duration(content.target_us / 1000)} "
        f"or failed; "
        f"{words.share(1 - content.q)} may."
        f'<div class="tb-sub">Error budget: {left_words(found.error_budget)}. {verdict_words(e2e)} '
        f"{words.percentile(content.q)} now {words.estimate(found.observed.estimate)}, "
        f"{found.observed.failed:,} failed.</div>"
    )


def line_cells(line: LineCheck) -> list[Cell | str]:
    """One line's check."""
    return [
        tables.hop_name(line.hop),
        words.duration(line.line_ms),
        words.duration(line.bar_ms),
        words.duration(line.guard_limit_ms),
        f"{line.verdict.bad:,} of {line.verdict.n:,}",
        _badge(line.verdict),
    ]


def _badge(verdict: Verdict) -> Cell:
    return Cell(f'<span class="tb-grade" title="{MEANING[verdict.decision]}">{verdict.decision}</span>')
