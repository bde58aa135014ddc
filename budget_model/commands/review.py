"""``tailbudget review``: one ISO week against every approved budget, as a page to print or as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from budget_model.commands import cells
from budget_model.commands.common import HomeOption, JsonOption, out, print_json, settings_to_read
from budget_model.errors import BudgetError
from budget_model.services import clock
from budget_model.services import review_words as words
from budget_model.services.budget_formula import left_words
from budget_model.services.iso_week import parse_week, week_of
from budget_model.services.review_html import review_html
from budget_model.services.review_json import review_json
from budget_model.services.weekly_review import BudgetReview, WeeklyReview, weekly_review
from budget_model.services.workspace import Workspace


def review(
    week: Annotated[
        str | None,
        typer.Option("--week", help="ISO week in UTC, such as 2026-W49 (default: the last full one)."),
    ] = None,
    out_file: Annotated[
        Path | None, typer.Option("--out", help="Write the review to this file, .html or .json.")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Review a week: every approved budget, its verdict, what is left and what moved, on one page."""
    if out_file is not None:
        _refuse_unknown(out_file)
    now_us = clock.now_us()
    chosen = parse_week(week) if week is not None else week_of(now_us).before
    workspace = Workspace(settings_to_read(home))
    try:
        found = weekly_review(workspace.engine, workspace.budgets, chosen, now_us)
    finally:
        workspace.close()
    if out_file is not None:
        _write(out_file, found)
    if as_json:
        print_json(review_json(found))
        return
    _print(found)
    if out_file is not None:
        out.print(cells.label(f"Written to {out_file}."), soft_wrap=True)


def _refuse_unknown(file: Path) -> None:
    ending = file.suffix.lower()
    if ending == ".pdf":
        raise BudgetError("--out writes no PDF: write an .html file, open it in a browser and print it")
    if ending not in (".html", ".json"):
        raise BudgetError(f"--out {file} ends in neither .html nor .json")


def _write(file: Path, found: WeeklyReview) -> None:
    is_html = file.suffix.lower() == ".html"
    content = review_html(found).encode() if is_html else msgspec.json.encode(review_json(found))
    try:
        file.write_bytes(content)
    except OSError as problem:
        raise BudgetError(f"--out {file} cannot be written: {problem.strerror}") from None


def _print(found: WeeklyReview) -> None:
    out.print(f"Week {found.week}: {words.span(found)}", soft_wrap=True)
    if not found.budgets:
        out.print(words.NO_BUDGET, soft_wrap=True)
    for one in found.budgets:
        out.print(cells.label(_line(one)), soft_wrap=True)
        for note in words.notes(found, one):
            out.print(cells.label(f"  {note}"), soft_wrap=True)


def _line(one: BudgetReview) -> str:
    return (
        f"{one.view.budget.name} version {one.view.budget.version} ({words.target(one)}): "
        f"{words.verdict(one)}; "
        f"error budget {left_words(one.check.error_budget)}; {one.check.e2e.bad:,} bad of {one.check.e2e.n:,}"
    )
