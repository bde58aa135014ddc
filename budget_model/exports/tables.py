"""A budget as CSV and JSON."""

from __future__ import annotations

import csv
import io

import msgspec

from budget_model.domain.budget import Budget

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def budget_csv(budget: Budget) -> str:
    """One row a line; the rows' ``ms`` add to the target."""
    page = io.StringIO()
    writer = csv.writer(page, lineterminator="\n")
    writer.writerow(("budget", "version", "line", "kind", "ms", "printed_ms", "own_limit_ms"))
    for line in budget.content.lines:
        limit = budget.content.guard_limits_us.get(line.name)
        own = "" if limit is None else f"{limit / 1000:.3f}"
        name = safe_cell(budget.name)
        writer.writerow(
            (name, budget.version, line.name, line.kind, f"{line.us / 1000:.3f}", line.printed_ms, own)
        )
    return page.getvalue()


def budget_json(budget: Budget) -> str:
    """Everything about the version; microseconds as stored."""
    return msgspec.json.format(msgspec.json.encode(budget)).decode() + "\n"


def safe_cell(text: str) -> str:
    """Text that a spreadsheet will not take for a formula."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
