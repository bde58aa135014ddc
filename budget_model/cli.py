"""The ``tailbudget`` command: the same services as the dashboard, for terminals and pipelines.

Exit 0 yes or done, 1 an understood no, 2 cannot say or bad input (one line on stderr),
3 inconclusive. Each command lives in its own module below ``commands``, imported when it is used.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import ClassVar

import typer

from budget_model.commands.common import EXIT_CANNOT_SAY, err
from budget_model.commands.lazy import Entry, LazyGroup
from budget_model.errors import SettingsError, TailbudgetError


def _command(module: str, help: str, *, name: str = "") -> Entry:
    return Entry(f"budget_model.commands.{module}", name or module, help)


class Commands(LazyGroup):
    """All commands, in the order in which they are listed; ``help`` is each one's own first line."""

    entries: ClassVar[Mapping[str, Entry]] = {
        "import": _command(
            "import_", "Import trace exports and request logs. The same content again changes nothing."
        ),
        "sync": _command("sync", "Bring in what other tools hold, again and again.", name="app"),
        "runs": _command("runs", "Load-test runs from MLflow, as stages and sweep points.", name="app"),
        "coverage": _command(
            "coverage",
            "Which hops, tags and events arrive from which service, since when, and what is missing.",
        ),
        "rebuild": _command(
            "rebuild",
            "Make all request facts again from the stored spans. Nothing needs to be imported again.",
        ),
        "doctor": _command(
            "doctor", "Check the home, its ledger and its segments. Exit 1 when something is wrong."
        ),
        "allocate": _command(
            "allocate", "Divide an end-to-end target over hops by the requests that were measured."
        ),
        "check": _command(
            "check", "PASS (exit 0), FAIL (1) or INCONCLUSIVE (3), end to end and line by line."
        ),
        "publish": _command(
            "publish", "Put budgets, checks and reviews where other tools show them.", name="app"
        ),
        "budgets": _command("budgets", "Budgets people saved: versions, states, exports.", name="app"),
        "review": _command(
            "review",
            "Review a week: every approved budget, its verdict, what is left and what moved, on one page.",
        ),
        "percentiles": _command(
            "percentiles",
            "Percentiles of latency metrics and hops over ok requests, failures counted beside them.",
        ),
        "prompts": _command(
            "prompts", "Prompt versions: how the requests made with each did, and what its text changed."
        ),
        "waterfall": _command("waterfall", "Hop bars that add up to the end-to-end percentile exactly."),
        "whatif": _command(
            "whatif", "Try changes on the measured requests; tactics apply in the order they are given."
        ),
        "demo": _command(
            "demo", "Load the demo: two weeks of a simulated LLM service with a few true stories in it."
        ),
        "serve": _command("serve", "Open the dashboard."),
    }


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    help="Latency budgets for LLM systems.",
)


@app.callback()
def _all_commands() -> None:
    # Typer makes a group of an app without commands of its own only when it has a callback.
    pass


def refuse_what_is_no_text(arguments: Sequence[str]) -> None:
    """Raises SettingsError for an argument whose bytes are not UTF-8: nothing is found or kept by it."""
    for before, argument in pairwise(arguments):
        if not _is_text(argument):
            option = f"{before} " if before.startswith("--") and _is_text(before) else ""
            said = repr(os.fsencode(argument)).removeprefix("b")
            raise SettingsError(f"{option}{said} is not text in UTF-8; write it as such")


def _is_text(argument: str) -> bool:
    try:
        argument.encode()
    except UnicodeEncodeError:
        return False
    return True


def main() -> None:
    """Run the command; an understood refusal is one line and exit 2, a bug keeps its traceback."""
    try:
        refuse_what_is_no_text(sys.argv)
        app()
    except TailbudgetError as refusal:
        err.print(str(refusal), style="red", markup=False, soft_wrap=True)
        sys.exit(EXIT_CANNOT_SAY)
