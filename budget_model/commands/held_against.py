"""Which budget is meant on the command line, and what it is held against: stored traffic or a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from budget_model.errors import SettingsError
from budget_model.queries.times import parse_time_us
from budget_model.services.budgets import BudgetView
from budget_model.services.exported_budget import is_exported, read_exported
from budget_model.services.workspace import Workspace

FileOption = Annotated[
    Path | None, typer.Option("--file", help="A load test's file in place of stored traffic.")
]
SinceOption = Annotated[str | None, typer.Option("--since", help="Stored traffic from then on, such as 7d.")]


def budget_named(workspace: Workspace, name: str, version: int | None, now_us: int) -> BudgetView:
    """A saved budget, or the one in an exported file.

    Raises BudgetError when there is no such budget, SettingsError for a version of a file.
    """
    if is_exported(name):
        return budget_in_file(name, version, now_us)
    return workspace.budgets.get(name, version, now_us)


def budget_in_file(name: str, version: int | None, now_us: int) -> BudgetView:
    """The budget in an exported file, which needs no home.

    Raises BudgetError when it holds none, SettingsError for a version of a file.
    """
    if version is not None:
        raise SettingsError(
            f"{name} holds one version of a budget, so --version does not go with it: leave --version out, "
            "or give the name of a saved budget"
        )
    return read_exported(Path(name), now_us)


def start_of_traffic(file: Path | None, since: str | None, now_us: int) -> int | None:
    """From when on stored traffic counts, UTC microseconds; None: all of it, or a file instead.

    Raises SettingsError for a start of a file, FilterError for a time that cannot be read.
    """
    if file is not None and since is not None:
        raise SettingsError(
            "all of a load test's file counts, so --since does not go with --file: leave one of them out"
        )
    return None if since is None else parse_time_us(since, now_us)
