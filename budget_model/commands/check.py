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
    err,
    print_json,
    settings_for,
    settings_to_read,
)
from budget_model.commands.held_against import (
    FileOption,
    SinceOption,
    budget_in_file,
    budget_named,
    start_of_traffic,
)
from budget_model.domain.budget import Budget, BudgetState
from budget_model.domain.verdict import Decision, Verdict
from budget_model.errors import BudgetError
from budget_model.services import clock
from budget_model.services.budget_formula import formula_sentences, left_words
from budget_model.services.budget_words import state_words, verdict_words
from budget_model.services.budgets import BudgetView, segment_filter
from budget_model.services.checking import Check, check_budget, check_file
from budget_model.services.exported_budget import is_exported
from budget_model.services.workspace import Workspace
from budget_model.settings import Settings

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
    file: FileOption = None,
    since: SinceOption = None,
    summary: Annotated[
        Path | None, typer.Option("--summary", help="Append a Markdown summary to this file.")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """PASS (exit 0), FAIL (1) or INCONCLUSIVE (3), end to end and line by line."""
    now_us = clock.now_us()
    since_us = start_of_traffic(file, since, now_us)
    if file is not None and is_exported(name):
        # Nothing of this is in a home, so none is opened: a pipeline need not have one.
        view = budget_in_file(name, version, now_us)
        found = _of_file(settings_for(home), view.budget, file)
    else:
        view, found = _of_home(home, name, version, file, since_us)
    if summary is not None:
        _append(summary, markdown(found, view.stale))
    if as_json:
        print_json(check_json(found, view.stale))
    else:
        print(markdown(found, view.stale), end="")
    if view.budget.state is not BudgetState.APPROVED:
        err.print(state_words(view.budget), markup=False, soft_wrap=True)
    raise typer.Exit(EXIT_CODES[found.decision])


def _append(summary: Path, text: str) -> None:
    try:
        with summary.open("a", encoding="utf-8") as page:
            page.write(text)
    except OSError as problem:
        raise BudgetError(f"--summary {summary} cannot be written: {problem.strerror}") from None


def _of_home(
    home: Path | None, name: str, version: int | None, file: Path | None, since_us: int | None
) -> tuple[BudgetView, Check]:
    workspace = Workspace(settings_to_read(home))
    try:
        view = budget_named(workspace, name, version, clock.now_us())
        if file is not None:
            return view, _of_file(workspace.settings, view.budget, file)
        chosen = replace(segment_filter(view.budget.content.segment), since_us=since_us)
        return view, check_budget(workspace.engine, view.budget, chosen)
    finally:
        workspace.close()


def _of_file(settings: Settings, budget: Budget, file: Path) -> Check:
    with tempfile.TemporaryDirectory(prefix="tailbudget-check-") as scratch:
        return check_file(settings, Path(scratch), budget, file)


def check_json(found: Check, stale: tuple[str, ...]) -> dict[str, Any]:
    """The check as JSON, milliseconds."""
    return {
        "budget": found.budget.name,
        "version": found.budget.version,
        "state": found.budget.state,
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
        f"{state_words(found.budget).capitalize()}.",
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
    shown = "".join(c if c.isprintable() else " " for c in text)
    return "".join(f"\\{c}" if c in "\\`*_{}[]()#+!|<>@" else c for c in shown)
