"""The ``tailbudget`` command: the same services as the dashboard, for terminals and pipelines.

Exit 0 yes or done, 1 an understood no, 2 cannot say or bad input (one line on stderr),
3 inconclusive. Each command lives in its own module below ``commands``.
"""

from __future__ import annotations

import sys

import typer

from budget_model.commands import (
    allocate,
    budgets,
    check,
    demo,
    doctor,
    import_,
    percentiles,
    rebuild,
    serve,
    waterfall,
    whatif,
)
from budget_model.commands.common import EXIT_CANNOT_SAY, err
from budget_model.errors import TailbudgetError

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    help="Latency budgets for LLM systems.",
)

app.command("import")(import_.import_)
app.command("rebuild")(rebuild.rebuild)
app.command("doctor")(doctor.doctor)
app.command("allocate")(allocate.allocate)
app.command("check")(check.check)
app.add_typer(budgets.app, name="budgets")
app.command("percentiles")(percentiles.percentiles)
app.command("waterfall")(waterfall.waterfall)
app.command("whatif")(whatif.whatif)
app.command("demo")(demo.demo)
app.command("serve")(serve.serve)


def main() -> None:
    """Run the command; an understood refusal is one line and exit 2, a bug keeps its traceback."""
    try:
        app()
    except TailbudgetError as refusal:
        err.print(str(refusal), style="red", markup=False, soft_wrap=True)
        sys.exit(EXIT_CANNOT_SAY)
