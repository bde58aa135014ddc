"""``tailbudget sync mlflow``: bring in what an MLflow server or its database holds, once or repeatedly."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from threading import Event
from types import FrameType
from typing import Annotated

import typer

from budget_model.commands.common import (
    EXIT_CANNOT_SAY,
    HomeOption,
    JsonOption,
    err,
    out,
    print_json,
    settings_for,
)
from budget_model.errors import SettingsError
from budget_model.queries.times import format_time_us, parse_time_us
from budget_model.services import clock
from budget_model.services.import_report import Progress
from budget_model.services.lean import leave_pandas_out
from budget_model.services.mlflow_repeat import keep_syncing
from budget_model.services.mlflow_report import BatchReport, SyncReport, SyncRequest
from budget_model.services.mlflow_sync import sync_mlflow
from budget_model.units import US_PER_MS, parse_duration_ms

app = typer.Typer(no_args_is_help=True, help="Bring in what other tools hold, again and again.")

UriArgument = Annotated[
    str,
    typer.Argument(
        help="http(s)://HOST of a tracking server, or its database: sqlite:///FILE or "
        "postgresql://USER@HOST/NAME. Credentials are better given by MLFLOW_TRACKING_USERNAME and "
        "_PASSWORD, MLFLOW_TRACKING_TOKEN or PGPASSWORD; they are never stored."
    ),
]
ExperimentOption = Annotated[
    list[str] | None,
    typer.Option("--experiment", help="Id or name; repeat for several. Default: all."),
]
DirectOption = Annotated[
    str,
    typer.Option(
        "--direct", metavar="DB_URI", help="The server's database, from which traces are read instead."
    ),
]
SinceOption = Annotated[
    str | None,
    typer.Option(help="Reach back to traces that began then: 2026-12-01T09:30Z or a while ago such as 7d."),
]
OverlapOption = Annotated[
    str, typer.Option(help="How far before the newest trace every sync looks for late and changed ones.")
]
EveryOption = Annotated[
    str | None,
    typer.Option("--every", help="Sync again and again this far apart, such as 60s, until Ctrl-C."),
]
CheckDeletedOption = Annotated[
    bool, typer.Option("--check-deleted", help="Look for deleted traces in all that was ever brought in.")
]
RunsOption = Annotated[
    bool, typer.Option("--runs/--no-runs", help="Bring load-test runs too: all of them, at every sync.")
]
PromptsOption = Annotated[
    bool, typer.Option("--prompts/--no-prompts", help="Bring the texts of prompt versions too.")
]


@app.callback()
def _all_sources() -> None:
    # A group even while there is one command in it: the name of the tool is part of the command.
    pass


@app.command()
def mlflow(
    uri: UriArgument,
    experiment: ExperimentOption = None,
    direct: DirectOption = "",
    since: SinceOption = None,
    overlap: OverlapOption = "1h",
    every: EveryOption = None,
    check_deleted: CheckDeletedOption = False,
    runs: RunsOption = True,
    prompts: PromptsOption = True,
    as_json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Bring in traces, runs and prompts of MLflow that are new or changed, and mark what was deleted."""
    leave_pandas_out()
    request = SyncRequest(
        uri,
        tuple(experiment or ()),
        direct,
        None if since is None else parse_time_us(since, clock.now_us()) // US_PER_MS,
        round(parse_duration_ms(overlap)),
        check_deleted,
        None if every is None else _interval_ms(every),
        runs,
        prompts,
    )
    settings = settings_for(home)
    show = print_json_report if as_json else show_report
    with _until_stopped() as stop:
        sync = partial(
            sync_mlflow, settings, request, on_batch=_show_batch, on_progress=_show_wait, cancel=stop
        )
        if request.interval_ms is not None:
            keep_syncing(settings, request, sync, stop=stop, on_report=show, on_problem=_complain)
            return
        report = sync()
    show(report)
    if report.error or report.stopped:
        raise typer.Exit(EXIT_CANNOT_SAY)


def _interval_ms(text: str) -> int:
    interval_ms = round(parse_duration_ms(text))
    if interval_ms < 1000:
        raise SettingsError(f"--every {text}: 1s or more is accepted")
    return interval_ms


@contextmanager
def _until_stopped() -> Iterator[Event]:
    """An event that Ctrl-C and SIGTERM set; batches that are whole by then are kept."""
    stop = Event()

    def told(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    before = {number: signal.signal(number, told) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def print_json_report(report: SyncReport) -> None:
    """One JSON object a sync."""
    print_json(report.as_json())
    if report.error:
        _complain(report.error)


def show_report(report: SyncReport) -> None:
    """What a sync did, in words."""
    t, s = report.traces, report.spans
    kind = f" ({report.kind})" if report.kind else ""
    _say(
        f"{report.address}{kind}: {t.new:,} traces new, {t.updated:,} updated, {t.waiting:,} waiting, "
        f"{t.deleted:,} deleted, {t.unchanged:,} unchanged"
    )
    _say(
        f"spans: {s.records:,} read = {s.accepted:,} accepted + {s.rejected:,} rejected + "
        f"{s.duplicates:,} duplicates + {s.already_known:,} already known"
    )
    others = {name: count for name, count in report.extras.items() if not name.startswith("prompts_")}
    if others:
        _say(", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in others.items()))
    if "prompts_read" in report.extras:
        _say(_prompts(report.extras))
    _say(_lag(report))
    if report.note:
        _say(f"note: {report.note}")
    if report.stopped:
        _complain(f"Stopped; {report.batches:,} whole batches were kept, the next sync goes on from there.")
    if report.error:
        _complain(report.error)


def _prompts(extras: dict[str, int]) -> str:
    n = {name.removeprefix("prompts_"): count for name, count in extras.items()}
    long = f"; {n['without_text']:,} without their text, which is too long" if n["without_text"] else ""
    return (
        f"prompt versions: {n['read']:,} read = {n['accepted']:,} accepted + {n['changed']:,} changed + "
        f"{n['duplicates']:,} duplicates{long}"
    )


def _lag(report: SyncReport) -> str:
    newest = (
        "" if report.newest_ms is None else f"; newest trace {format_time_us(report.newest_ms * US_PER_MS)}"
    )
    if report.lag_ms is None:
        return f"lag unknown: no sync was complete yet{newest}"
    return f"lag {report.lag_ms / 1000:.1f} s: what the source held then is here{newest}"


def _show_batch(batch: BatchReport) -> None:
    t, s = batch.traces, batch.spans
    until = "" if batch.until_ms is None else f" up to {format_time_us(batch.until_ms * US_PER_MS)}"
    words = (
        f"batch {batch.number}{until}: {t.new:,} new, {t.updated:,} updated, {t.waiting:,} waiting, "
        f"{t.deleted:,} deleted, {t.unchanged:,} unchanged; {s.records:,} spans"
    )
    err.print(words, markup=False, soft_wrap=True)


def _show_wait(progress: Progress) -> None:
    if progress.phase == "waiting":
        err.print(progress.words, markup=False, soft_wrap=True)


def _complain(words: str) -> None:
    err.print(words, style="red", markup=False, soft_wrap=True)


def _say(words: str) -> None:
    out.print(words, markup=False, soft_wrap=True)
