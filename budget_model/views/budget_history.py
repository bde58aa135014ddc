"""What changed between two versions, and the audit log."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from budget_model.domain.budget_diff import Change
from budget_model.services.budgets import AuditLine, Budgets, BudgetView
from budget_model.views import draw, tables, text
from budget_model.views import format as words
from budget_model.views.tables import Cell, Column


def differences(shelf: Budgets, view: BudgetView, versions: list[BudgetView]) -> None:
    """The version beside another one, which is chosen here."""
    numbers = [other.budget.version for other in versions if other.budget.version != view.budget.version]
    if not numbers:
        return
    with st.container(key="budget-diff"):
        draw.heading("Compared with another version")
        other = st.selectbox("Compare with version", numbers, key="diff-with", width=220)
        before, after = sorted((int(other or numbers[0]), view.budget.version))
        changes = shelf.diff(view.budget.name, before, after)
        if not changes:
            st.caption("They promise and assume the same.")
            return
        columns = (Column("What"), Column(f"Version {before}"), Column(f"Version {after}"))
        tables.show(columns, [change_cells(change) for change in changes], key="diff-table")


def change_cells(change: Change) -> list[Cell | str]:
    """One difference; a line that a version does not have is said to be absent."""
    return [text.plain(change.field), _value(change.before), _value(change.after)]


def _value(value: str | None) -> Cell | str:
    return "not in it" if value is None else text.plain(value or "none", 200)


AUDIT_COLUMNS = (Column("When (UTC)"), Column("Who"), Column("Did"), Column("What"), Column("Why"))


def audit(log: Sequence[AuditLine]) -> None:
    """Who did what, newest first."""
    with st.expander(f"Audit log ({words.plural(len(log), 'line')})", key="audit-log"):
        tables.show(AUDIT_COLUMNS, [audit_cells(line) for line in log], key="audit-table")


def audit_cells(line: AuditLine) -> list[Cell | str]:
    """One line of the log; names and reasons are people's text."""
    return [
        words.moment(line.at_us),
        text.plain(line.who, 60),
        text.plain(line.action),
        text.plain(line.subject, 100),
        text.plain(line.why or "no reason given", 200),
    ]
