"""``tailbudget coverage``: which hops, tags and events arrive from which service, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from budget_model.commands import cells
from budget_model.commands.common import HomeOption, JsonOption, out, print_json, settings_to_read
from budget_model.services.coverage import Arrival, ServiceCoverage, service_coverage
from budget_model.services.coverage_gaps import Gap
from budget_model.services.workspace import Workspace

ServiceOption = Annotated[
    str | None,
    typer.Option("--service", help="One service alone, with the lines of code that add what is missing."),
]

EMPTY = "No spans yet: `tailbudget import` and `tailbudget sync mlflow URI` bring traces in."
_US_PER_S = 1_000_000


def coverage(service: ServiceOption = None, as_json: JsonOption = False, home: HomeOption = None) -> None:
    """Which hops, tags and events arrive from which service, since when, and what is missing."""
    workspace = Workspace(settings_to_read(home))
    try:
        found = service_coverage(workspace)
    finally:
        workspace.close()
    shown = found.services if service is None else (found.of(service),)
    if as_json:
        print_json({"services": [_as_json(one) for one in shown]})
    elif not shown:
        _say(EMPTY)
    else:
        cells.print_whole(_table(shown))
        for one in shown:
            _say_gaps(one, with_lines=service is not None)


def _as_json(one: ServiceCoverage) -> dict[str, Any]:
    return {
        "service": None if one.is_log else one.service,
        "log": one.service if one.is_log else None,
        "spans": one.spans,
        "first": _moment(one.first_us),
        "last": _moment(one.last_us),
        "requests": one.requests.total,
        "ok": one.requests.ok,
        "hops": {hop.name: _arrival(hop) for hop in one.requests.hops},
        "tags": {tag.name: _arrival(tag) for tag in one.requests.tags},
        "ttft": _arrival(one.requests.ttft),
        "model_calls": one.calls,
        "first_tokens": one.first_tokens,
        "missing": [_gap(gap) for gap in one.gaps],
    }


def _arrival(thing: Arrival) -> dict[str, Any]:
    return {
        "n": thing.n,
        "of": thing.of,
        "spans": thing.spans,
        "first": _moment(thing.first_us),
        "last": _moment(thing.last_us),
    }


def _gap(gap: Gap) -> dict[str, Any]:
    lines = {"opentelemetry": gap.lines.otel, "mlflow": gap.lines.mlflow}
    return {"what": gap.code, "n": gap.n, "of": gap.of, "words": gap.sentence, "lines": lines}


def _moment(us: int | None) -> str | None:
    """A UTC time in ISO 8601, to the second."""
    return None if us is None else datetime.fromtimestamp(us // _US_PER_S, UTC).isoformat()


def _table(services: Sequence[ServiceCoverage]) -> Table:
    table = Table(title="What services send", box=box.SIMPLE, padding=(0, 1, 0, 0))
    table.add_column("service", no_wrap=True)
    for name in ("spans", "requests", "ok", "calls", "first tokens"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("first (UTC)", "last (UTC)"):
        table.add_column(name, no_wrap=True)
    table.add_column("hops and tags it sends")
    for one in services:
        counts = (one.spans, one.requests.total, one.requests.ok, one.calls, one.first_tokens)
        times = (_minute(us) for us in (one.first_us, one.last_us))
        table.add_row(cells.label(one.title), *(f"{count:,}" for count in counts), *times, _sent(one))
    return table


def _minute(us: int | None) -> str:
    return "no time" if us is None else f"{datetime.fromtimestamp(us // _US_PER_S, UTC):%Y-%m-%d %H:%M}"


def _sent(one: ServiceCoverage) -> Text:
    if one.is_log:
        return Text("figures, no spans", style="dim")
    sent = [thing.name for thing in (*one.requests.hops, *one.requests.tags) if thing.spans]
    return Text(", ".join(sent) or "none", style="" if sent else "dim")


def _say_gaps(one: ServiceCoverage, *, with_lines: bool) -> None:
    name = cells.label(one.title).plain
    if not one.gaps and not one.is_log:
        _say(f"{name}: nothing is missing")
    for gap in one.gaps:
        _say(f"{name}: {gap.sentence}")
        if with_lines:
            for library, code in (("OpenTelemetry", gap.lines.otel), ("MLflow", gap.lines.mlflow)):
                _say(f"\n  # {library}\n" + "\n".join(f"  {line}" for line in code.splitlines()))
            _say("")


def _say(words: str) -> None:
    out.print(words, markup=False, soft_wrap=True)
