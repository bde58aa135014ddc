"""Prompt versions, one by one: how the requests made with each did, and when they came."""

from __future__ import annotations

from budget_model.domain.versions import version_order
from budget_model.queries.counts import time_range
from budget_model.queries.estimates import estimates, missing
from budget_model.queries.pool import spread
from budget_model.queries.results import PromptFigures
from budget_model.queries.selection import Selection, split_by
from budget_model.queries.table import RequestTable

E2E, TTFT = "e2e_us", "ttft_us"

_NAMES = "SELECT DISTINCT prompt::VARCHAR, prompt_name, prompt_version FROM {} WHERE prompt IS NOT NULL"


def prompt_figures(selection: Selection, q: float) -> tuple[PromptFigures, ...]:
    """A row a version under the filter, prompts by name and the newest version of each first.

    Requests that carry no prompt are in none of them.
    """
    names = prompt_names(selection.table)
    groups = [(label, part) for label, part in split_by(selection, "prompt") if label is not None]
    for _, part in groups:
        _ = part.ok  # once, before several threads ask for it
    rows = spread(lambda group: _row(group[0], *names[group[0]], group[1], q), groups)
    newest_first = sorted(rows, key=lambda row: version_order(row.version), reverse=True)
    return tuple(sorted(newest_first, key=lambda row: row.name))


def _row(label: str, name: str, version: str | None, part: Selection, q: float) -> PromptFigures:
    (e2e,), (ttft,) = estimates(part, E2E, (q,)), estimates(part, TTFT, (q,))
    first_us, last_us = time_range(part) or (None, None)
    return PromptFigures(
        label=label,
        name=name,
        version=version,
        requests=len(part.positions),
        failed=part.failed,
        e2e=e2e,
        e2e_missing=missing(part, E2E),
        ttft=ttft,
        ttft_missing=missing(part, TTFT),
        first_us=first_us,
        last_us=last_us,
    )


def prompt_names(table: RequestTable) -> dict[str, tuple[str, str | None]]:
    """Name and version by label, load tests included: a name may hold the sign between the two."""
    with table.lock:
        if "prompt names" not in table.memo:
            found = table.fetch(_NAMES.format(table.name))
            # Of two readings of one label the one with a version is told.
            ordered = sorted(found, key=lambda row: row[2] is not None)
            table.memo["prompt names"] = {label: (name or "", version) for label, name, version in ordered}
        names: dict[str, tuple[str, str | None]] = table.memo["prompt names"]
        return names
