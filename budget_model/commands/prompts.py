"""``tailbudget prompts``: prompt versions with their latency, and what each changed in the text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table

from budget_model.commands import cells
from budget_model.commands.common import HomeOption, JsonOption, out, print_json, settings_to_read
from budget_model.commands.filter_options import FilterOptions, with_filter_options
from budget_model.commands.percentiles import ends_of
from budget_model.domain.quantiles import percentile_name
from budget_model.domain.text_difference import Change, Line
from budget_model.errors import NoDataError
from budget_model.queries.results import METHOD, QuantileEstimate
from budget_model.queries.times import format_time_us
from budget_model.services.prompt_versions import TextChange, VersionRow, VersionTable
from budget_model.services.workspace import Workspace

NameArgument = Annotated[
    str | None, typer.Argument(metavar="[NAME]", help="One prompt, or NAME@V for one version. Default: all.")
]
PercentileOption = Annotated[float, typer.Option("--percentile", help="Such as 99 or 99.9.")]
DiffOption = Annotated[
    bool, typer.Option("--diff", help="Print what each version changed in the text of the one before.")
]

US_PER_MINUTE = 60_000_000

MARKS = {Change.SAME: " ", Change.REMOVED: "-", Change.ADDED: "+"}
"""How a line begins, as in a unified difference."""


@with_filter_options
def prompts(
    name: NameArgument = None,
    percentile: PercentileOption = 99.0,
    diff: DiffOption = False,
    as_json: JsonOption = False,
    home: HomeOption = None,
    *,
    options: FilterOptions,
) -> None:
    """Prompt versions: how the requests made with each did, and what its text changed."""
    workspace = Workspace(settings_to_read(home))
    try:
        figures = workspace.figures
        found = figures.prompts(options.to_filter(figures), percentile / 100)
        mine = [one for one in found if name is None or name in (one.name, one.label)]
        if name is not None and not mine:
            known = ", ".join(dict.fromkeys(repr(one.name) for one in found)) or "none"
            raise NoDataError(f"no request here was made with a prompt {name!r}; there are {known}")
        service = workspace.prompts
        table = service.table(mine)
        changes = [service.change(one.name, one.version) for one in mine] if diff else []
    finally:
        workspace.close()
    if as_json:
        print_json(_as_json(table, changes, percentile / 100))
    else:
        _show(table, changes, percentile / 100)


def _as_json(table: VersionTable, changes: Sequence[TextChange], q: float) -> dict[str, Any]:
    rows = [_row_json(row) for row in table.rows]
    for row, change in zip(rows, changes, strict=False):
        row["text"] = _change_json(change)
    return {"method": METHOD, "percentile": q * 100, "unused_versions": table.unused, "rows": rows}


def _row_json(row: VersionRow) -> dict[str, Any]:
    f = row.figures
    return {
        "prompt": f.label,
        "name": f.name,
        "version": f.version,
        "before": row.before,
        "text_known": row.has_text,
        "requests": f.requests,
        "failed": f.failed,
        "first": None if f.first_us is None else format_time_us(f.first_us),
        "last": None if f.last_us is None else format_time_us(f.last_us),
        "e2e": _estimate_json(f.e2e, f.e2e_missing),
        "ttft": _estimate_json(f.ttft, f.ttft_missing),
    }


def _estimate_json(value: QuantileEstimate, missing: int) -> dict[str, Any]:
    name = f"{percentile_name(value.q)}_ms"
    ends = ends_of(value.interval)
    return {
        "n": value.n,
        "missing": missing,
        name: value.value_ms,
        "ci95": {name: ends},
        "grade": value.grade,
    }


def _change_json(change: TextChange) -> dict[str, Any]:
    found = change.difference
    return {
        "text": change.text,
        "remarks": change.remarks,
        "words_removed": None if found is None else found.words_removed,
        "words_added": None if found is None else found.words_added,
        "difference": None if found is None else [_unified(line) for line in found.lines],
    }


def _show(table: VersionTable, changes: Sequence[TextChange], q: float) -> None:
    if not table.rows:
        _say("No request here names a prompt.")
        return
    cells.print_whole(_table(table.rows, q))
    if table.unused:
        _say(f"{table.unused:,} more versions of these prompts have no request here")
    for change in changes:
        _show_change(change)


def _table(rows: Sequence[VersionRow], q: float) -> Table:
    name = percentile_name(q)
    table = Table(title=f"Latency in ms, {METHOD} over ok requests", box=box.SIMPLE, padding=(0, 1, 0, 0))
    table.add_column("prompt", no_wrap=True)
    for title in ("n", "failed", f"e2e {name}", "95 %"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("grade", no_wrap=True)
    for title in ("ttft n", f"ttft {name}", "95 %"):
        table.add_column(title, justify="right", no_wrap=True)
    for title in ("grade", "first seen (UTC)", "last seen", "text"):
        table.add_column(title, no_wrap=True)
    for row in rows:
        f = row.figures
        table.add_row(
            cells.label(f.label),
            *(f"{f.e2e.n:,}", f"{f.failed:,}"),
            *(cells.milliseconds(f.e2e.value_ms), cells.interval(f.e2e.interval), f.e2e.grade),
            f"{f.ttft.n:,}",
            *(cells.milliseconds(f.ttft.value_ms), cells.interval(f.ttft.interval), f.ttft.grade),
            *(_minute(us) for us in (f.first_us, f.last_us)),
            "known" if row.has_text else "not known",
        )
    return table


def _minute(time_us: int | None) -> str:
    return "-" if time_us is None else format_time_us(time_us - time_us % US_PER_MINUTE)


def _show_change(change: TextChange) -> None:
    head = f"\n{change.name}: version {change.version or 'not recorded'}"
    _say(f"{head} beside {change.before}" if change.before is not None else head)
    for remark in change.remarks:
        _say(remark)
    found = change.difference
    if found is None:
        return
    if found.is_none:
        _say("The texts are the same.")
        return
    _say(f"words: {found.words_removed:,} removed, {found.words_added:,} added")
    for line in found.lines:
        _say(_unified(line))


def _unified(line: Line) -> str:
    if line.change is Change.LEFT_OUT:
        return f"@@ {line.count:,} lines alike @@"
    return MARKS[line.change] + line.text


def _say(words: str) -> None:
    out.print(cells.line(words), soft_wrap=True)
