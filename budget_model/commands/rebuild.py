"""``tailbudget rebuild``: all request facts again from the stored spans, under today's rules."""

from __future__ import annotations

from budget_model.commands.common import HomeOption, JsonOption, err, print_json, settings_to_read
from budget_model.commands.progress import progress_bar
from budget_model.services import rebuild as service
from budget_model.services.lean import leave_pandas_out


def rebuild(as_json: JsonOption = False, home: HomeOption = None) -> None:
    """Make all request facts again from the stored spans. Nothing needs to be imported again."""
    leave_pandas_out()
    settings = settings_to_read(home)
    with progress_bar() as bar:
        report = service.rebuild(settings, on_progress=bar)
    if as_json:
        print_json(report)
    else:
        err.print(f"{report.requests:,} requests from {report.spans:,} spans and the request logs")
