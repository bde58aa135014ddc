"""One version of a budget: its state, its lines, and what it was derived from."""

from __future__ import annotations

import html
from collections.abc import Sequence

import streamlit as st

from budget_model.domain.budget import Budget, BudgetState, SegmentValues
from budget_model.services.budgets import BudgetView, segment_filter
from budget_model.views import address, allocator_answer, asked, draw, filters, tables, text
from budget_model.views import format as words
from budget_model.views.allocator_controls import STRATEGY_NAMES
from budget_model.views.tables import Cell, Column

STATE_WORDS: dict[BudgetState, str] = {
    BudgetState.DRAFT: "being worked on",
    BudgetState.PROPOSED: "waits for somebody else's approval",
    BudgetState.APPROVED: "in force",
    BudgetState.RETIRED: "no longer in force",
}

LINE_COLUMNS = (
    Column("Line"),
    Column("Budget", "r", "adds to the target"),
    Column("Own limit", "r", "the percentile of the hop alone; limits do not add"),
    Column("Share", "l", "of the target"),
)


def state_cell(state: BudgetState) -> Cell:
    """The state as a badge, with its meaning on hover."""
    return Cell(f'<span class="tb-grade" title="{STATE_WORDS[state]}">{state}</span>')


def segment_markup(segment: SegmentValues) -> str:
    """Safe markup of the traffic a budget applies to."""
    if not segment:
        return "all production traffic"
    parts = (
        f"{filters.NAMES[name].lower()} {' or '.join(text.markup(value, 40) for value in values)}"
        for name, values in segment
    )
    return ", ".join(parts)


def stale_markup(reasons: Sequence[str]) -> str:
    """Safe markup: why it is stale, or that it is not."""
    if not reasons:
        return "as derived"
    said = "<br>".join(f"<small>{text.markup(reason, 300)}</small>" for reason in reasons)
    return f'<b class="tb-stale">stale</b><br>{said}'


def heading(view: BudgetView, versions: list[BudgetView]) -> None:
    """Name, version and state, the way to other versions, and why it is stale."""
    budget = view.budget
    st.html(
        f'<h3 class="tb-h">{text.markup(budget.name, 100)} · version {budget.version} '
        f"{state_cell(budget.state).markup}</h3>"
        f'<div class="tb-sub">{STATE_WORDS[budget.state]} · {version_links(budget, versions)}</div>'
    )
    for reason in view.stale:
        st.warning(f"Stale: {text.markdown(reason, 400)}", icon=":material/history_toggle_off:")
    question = asked.of_budget(budget)
    st.page_link(
        address.PAGES["Allocator"],
        label="Open this question in the Allocator",
        icon=":material/tune:",
        query_params={
            **address.query(segment_filter(budget.content.segment), **asked.encode(question)),
            "budget": budget.name,
            "version": str(versions[0].budget.version),
        },
    )


def version_links(budget: Budget, versions: list[BudgetView]) -> str:
    """Safe markup: links to all versions."""
    f = address.current_filter()[0]
    found = []
    for other in versions:
        number, state = other.budget.version, other.budget.state
        if number == budget.version:
            found.append(f"<b>{number} ({state})</b>")
        else:
            href = address.href("Budgets", f, budget=budget.name, version=str(number))
            found.append(tables.anchor(f"{number} ({state})", href))
    return "versions: " + ", ".join(found)


def lines(budget: Budget) -> None:
    """The lines with their share of the target, and what they buy in tokens."""
    content = budget.content
    draw.heading(f"{words.duration(content.target_us / 1000)} at {words.percentile(content.q)}, divided")
    tables.show(LINE_COLUMNS, line_rows(budget), key="budget-lines")
    if content.tokens:
        draw.heading("What the lines buy in tokens")
        rows = [allocator_answer.token_cells(row) for row in content.tokens]
        tables.show(allocator_answer.TOKEN_COLUMNS, rows, key="budget-tokens")


def line_rows(budget: Budget) -> list[list[Cell | str]]:
    """A row per line, then the target they add to."""
    content = budget.content
    rows: list[list[Cell | str]] = []
    for line in content.lines:
        limit = content.guard_limits_us.get(line.name)
        hop = line.kind != "headroom"
        name = tables.hop_markup(line.name) if hop else html.escape(line.name)
        locked = " <small>locked</small>" if line.locked else ""
        share = 100 * line.us / content.target_us
        css = f"hop-{line.name}" if hop else "tb-headroom"
        rows.append(
            [
                Cell(name + locked),
                words.whole_ms(line.printed_ms),
                "" if limit is None else words.duration(limit / 1000),
                Cell(f'<div class="tb-bar"><i class="{css}" style="width:{share:.2f}%"></i></div>'),
            ]
        )
    total = sum(line.printed_ms for line in content.lines)
    rows.append([Cell("<b>target</b>"), Cell(f"<b>{words.whole_ms(total)}</b>"), "", ""])
    return rows


def evidence(budget: Budget) -> None:
    """What the version was derived from and what it assumes."""
    draw.heading("What it rests on")
    rows = "".join(f"<dt>{html.escape(name)}</dt><dd>{value}</dd>" for name, value in evidence_rows(budget))
    with st.container(key="budget-evidence"):
        st.html(f'<dl class="tb-kv">{rows}</dl>')


def evidence_rows(budget: Budget) -> list[tuple[str, str]]:
    """Names and safe markup."""
    content = budget.content
    seen, assumed = content.evidence, content.assumptions
    known = {str(name): said for name, said in STRATEGY_NAMES.items()}
    return [
        ("Applies to", segment_markup(content.segment)),
        ("Strategy", html.escape(known.get(content.strategy, content.strategy))),
        ("Headroom", words.share(content.headroom)),
        ("Requests", f"{seen.n:,} ok, {seen.failed:,} failed"),
        ("Their time", f"{words.moment(seen.since_us)} to {words.moment(seen.until_us)} UTC"),
        (f"{words.percentile(content.q)}, failures counted", words.duration(seen.observed_us / 1000)),
        ("Derived", f"{words.moment(seen.derived_us)} UTC"),
        ("Models", _listed(assumed.models)),
        ("Hardware", _listed(assumed.hardware)),
        ("Prompt versions", _listed(assumed.prompts)),
        ("Hop mapping", text.markup(assumed.rules_fingerprint or None)),
    ]


def _listed(values: Sequence[str]) -> str:
    shown = ", ".join(text.markup(value, 60) for value in values[:12])
    more = f" and {len(values) - 12} more" if len(values) > 12 else ""
    return shown + more if values else words.NOT_RECORDED
