"""``tailbudget check``: hold traffic or a load test against a budget; a gate for pipelines."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from budget_model.commands.common import (
    EXIT_INCONCLUSIVE,
    EXIT_NO,
    EXIT_YES,
    HomeOption,
    JsonOption,
    print_json,
    settings_for,
)
from budget_model.domain.verdict import Decision, Verdict
from budget_model.errors import BudgetError
from budget_model.queries.times import parse_time_us
from budget_model.services import clock
from budget_model.services.budget_formula import formula_sentences, left_words
from budget_model.services.budget_words import verdict_words
from budget_model.services.budgets import BudgetView, segment_filter
from budget_model.services.checking import Check, check_budget, check_file
from budget_model.services.exported_budget import is_exported, read_exported
from budget_model.services.workspace import Workspace

EXIT_CODES = {
    Decision.PASS: EXIT_YES,
    Decision.FAIL: EXIT_NO,
    Decision.INCONCLUSIVE: EXIT_INCONCLUSIVE,
}


def check(
    name: Annotated[str, typer.Argument(help="The budget's name, or the file of an exported one.")],
    version: Annotated[
        int | None, typer.Option("--version", help="Default: the approved one, else the newest.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="A load test's file in place of stored traffic.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", help="Stored traffic from then on, such as 7d.")
    ] = None,
    summary: Annotated[
        Path | None, typer.Option("--summary", help="Append a Markdown summary to this file.")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """PASS (exit 0), FAIL (1) or INCONCLUSIVE (3), end to end and line by line."""
    workspace = Workspace(settings_for(home))
    try:
        view = _view(workspace, name, version)
        found = _run(workspace, view, file, since)
    finally:
        workspace.close()
    if summary is not None:
        _append(summary, markdown(found, view.stale))
    if as_json:
        print_json(check_json(found, view.stale))
    else:
        print(markdown(found, view.stale), end="")
    raise typer.Exit(EXIT_CODES[found.decision])


def _view(workspace: Workspace, name: str, version: int | None) -> BudgetView:
    if is_exported(name):
        return read_exported(Path(name), clock.now_us())
    return workspace.budgets.get(name, version, clock.now_us())


def _append(summary: Path, text: str) -> None:
    try:
        with summary.open("a", encoding="utf-8") as page:
            page.write(text)
    except OSError as problem:
        raise BudgetError(f"--summary {summary} cannot be written: {problem.strerror}") from None


def _run(workspace: Workspace, view: BudgetView, file: Path | None, since: str | None) -> Check:
    if file is None:
        since_us = None if since is None else parse_time_us(since, clock.now_us())
        chosen = replace(segment_filter(view.budget.content.segment), since_us=since_us)
        return check_budget(workspace.engine, view.budget, chosen)
    with tempfile.TemporaryDirectory(prefix="tailbudget-check-") as scratch:
        return check_file(workspace.settings, Path(scratch), view.budget, file)


def check_json(found: Check, stale: tuple[str, ...]) -> dict[str, Any]:
    """The check as JSON, milliseconds."""
    return {
        "budget": found.budget.name,
        "version": found.budget.version,
        "decision": found.decision,
        "stale": stale,
        "target_ms": found.budget.content.target_us / 1000,
        "e2e_ms": found.observed.estimate.value_ms,
        "e2e": _verdict_json(found.e2e),
        "error_budget_left": found.error_budget.left,
        "failed": found.observed.failed,
        "rejected": found.rejected,
        "lines": [
            {
                "hop": line.hop,
                "line_ms": line.line_ms,
                "bar_ms": line.bar_ms,
                "own_limit_ms": line.guard_limit_ms,
                **_verdict_json(line.verdict),
            }
            for line in found.lines
        ],
    }


def markdown(found: Check, stale: tuple[str, ...]) -> str:
    """A summary for a pull request."""
    content, e2e = found.budget.content, found.e2e
    rows = [
        f"### Latency budget {_cell(found.budget.name)} version {found.budget.version}: {found.decision}",
        "",
        f"{e2e.bad:,} of {e2e.n:,} requests missed {content.target_us / 1000:,g} ms or failed "
        f"({found.observed.failed:,} failed). {verdict_words(e2e)}",
        "",
        f"Error budget: {left_words(found.error_budget)}. {' '.join(formula_sentences(found))}",
        "",
        "| hop | line, ms | bar now, ms | own limit, ms | over it | verdict |",
        "|---|---:|---:|---:|---:|---|",
        *(
            f"| {line.hop} | {line.line_ms:,.1f} | {_number(line.bar_ms)} | {line.guard_limit_ms:,.1f} "
            f"| {line.verdict.bad:,} of {line.verdict.n:,} | {line.verdict.decision} |"
            for line in found.lines
        ),
        "",
        *([f"> {found.rejected:,} records could not be read and are left out."] if found.rejected else []),
        *(f"> Stale: {_cell(reason)}" for reason in stale),
    ]
    return "\n".join(rows) + "\n"


def _verdict_json(verdict: Verdict) -> dict[str, Any]:
    return {
        "verdict": verdict.decision,
        "n": verdict.n,
        "bad": verdict.bad,
        "pass_most": verdict.pass_most,
        "fail_least": verdict.fail_least,
        "deciding_n": verdict.deciding_n,
    }


def _number(value: float | None) -> str:
    return "not recorded" if value is None else f"{value:,.1f}"


def _cell(text: str) -> str:
    escaped = "".join(f"\\{c}" if c in "\\`*_{}[]()#+!|<>@" else c for c in text)
    return escaped.replace("\n", " ")
