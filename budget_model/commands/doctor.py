"""``tailbudget doctor``: is the home sound, and repair of a damaged ledger."""

from __future__ import annotations

from typing import Annotated

import typer

from budget_model.commands.common import (
    EXIT_NO,
    EXIT_YES,
    HomeOption,
    JsonOption,
    err,
    out,
    print_json,
    settings_for,
)
from budget_model.services.doctor import check_home, repair_home

RepairOption = Annotated[
    bool, typer.Option("--repair", help="Make a damaged ledger anew from the segments; a copy is kept.")
]


def doctor(repair: RepairOption = False, as_json: JsonOption = False, home: HomeOption = None) -> None:
    """Check the home, its ledger and its segments. Exit 1 when something is wrong."""
    settings = settings_for(home)
    if repair:
        err.print(repair_home(settings), markup=False, soft_wrap=True)
    checkup = check_home(settings)
    if as_json:
        print_json({"sound": checkup.is_sound, "findings": checkup.findings})
    else:
        for finding in checkup.findings:
            words = f"{finding.level:8}{finding.about}: {finding.words}"
            out.print(words, markup=False, soft_wrap=True)
    raise typer.Exit(EXIT_YES if checkup.is_sound else EXIT_NO)
