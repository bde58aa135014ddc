"""Load-test runs: stages and sweep points, with what was not logged of them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from budget_model.services.run_points import FIELDS, Point, RunList, run_points
from budget_model.units import US_PER_MS
from budget_model.views import draw, tables, text
from budget_model.views import format as words
from budget_model.views.session import workspace
from budget_model.views.tables import Cell, Column

SHOWN = 6
"""Runs listed at first, the latest; the others are a click away."""

MOST = 500
"""Runs listed at all; the command lists every one."""

COMMAND = """\
tailbudget sync mlflow http://mlflow.example:5000   # runs come with the traces
tailbudget runs import runs.csv                     # a table of mlflow.search_runs, or JSON of runs/search"""

COLUMNS = (
    Column("Run (UTC)"),
    Column("Model, hardware"),
    Column("Budget (tokens)", "r", "tokens a step may have in all; below it those of a prompt"),
    Column("Batch", "r", "requests a step may have"),
    Column("Concurrency", "r", "requests at a time"),
    Column("TTFT p99 (ms)", "r", "time to first token"),
    Column("TBT p99 (ms)", "r", "gap between tokens"),
    Column("E2E p99 (ms)", "r", "end to end"),
    Column("Requests/s", "r"),
    Column("Output tokens/s", "r", "below it how busy the GPUs were"),
)

NAMES = {
    "model": "model",
    "hardware": "hardware",
    "token_budget": "token budget",
    "chunk_size": "chunk",
    "batch_size": "batch",
    "concurrency": "concurrency",
    "ttft_p50_ms": "TTFT p50",
    "ttft_p99_ms": "TTFT p99",
    "tbt_p99_ms": "TBT p99",
    "e2e_p50_ms": "end to end p50",
    "e2e_p99_ms": "end to end p99",
    "requests_per_s": "requests/s",
    "output_tokens_per_s": "output tokens/s",
    "gpu_utilisation": "GPU use",
}


def render() -> None:
    """Draw the section."""
    found = run_points(workspace().ledger)
    draw.heading("Load-test runs")
    if not found.points:
        _empty()
    else:
        _list(found.points)
        st.caption(_said(found))
    _rejected(found.rejected)


def _empty() -> None:
    st.caption(
        "No runs yet. What AIPerf, vLLM's benchmark or your own code logs to MLflow comes in with a sync, or "
        "from an export:"
    )
    st.code(COMMAND, language="bash")


def _list(points: Sequence[Point]) -> None:
    shown = points[:MOST] if st.session_state.get("all-runs") else points[:SHOWN]
    tables.show(COLUMNS, [_cells(one) for one in shown], key="runs", caption="Load-test runs")
    if len(points) > SHOWN:
        st.toggle(f"Show {min(len(points), MOST):,} of {len(points):,} runs", key="all-runs")


def _cells(point: Point) -> list[Cell | str]:
    return [
        _name(point),
        Cell("<br>".join(text.markup(value, 40) for value in _texts(point)) or "–"),
        _settled(point),
        *(words.figure(_number(point, field)) for field in ("batch_size", "concurrency")),
        *(_latency(point, metric) for metric in ("ttft", "tbt", "e2e")),
        _rate(point),
        _output(point),
    ]


def _name(point: Point) -> Cell:
    run = point.run
    name = run.name or run.run_id
    shown = tables.outward(text.middle(name, 40), point.page) if point.page else text.markup(name, 40)
    told = [words.moment(None if run.start_ms is None else run.start_ms * US_PER_MS)]
    told += [f"stage of {point.parent}"] if point.parent else []
    told += [] if run.status in ("", "FINISHED") else [run.status.replace("RUNNING", "in progress").lower()]
    told += ["cancelled"] if "cancelled" in run.labels else []
    return Cell(f'<span class="nw">{shown}</span><br><small>{text.markup(" · ".join(told), 120)}</small>')


def _texts(point: Point) -> list[str]:
    return [value for field in ("model", "hardware") if (value := point.run.labels.get(field))]


def _number(point: Point, field: str) -> float | None:
    value = point.value(field)
    return value if isinstance(value, float) else None


def _settled(point: Point) -> Cell:
    chunk = _number(point, "chunk_size")
    below = "" if chunk is None else f"chunk {words.figure(chunk)}"
    return _two_lines(words.figure(_number(point, "token_budget")), below)


def _output(point: Point) -> Cell:
    gpu = _number(point, "gpu_utilisation")
    below = "" if gpu is None else f"GPU {words.share(gpu)}"
    return _two_lines(words.figure(_number(point, "output_tokens_per_s")), below)


def _latency(point: Point, metric: str) -> Cell:
    """The p99 with the median and the sample below it, as far as they were logged."""
    p50, n = _number(point, f"{metric}_p50_ms"), _number(point, f"{metric}_n")
    below = [] if p50 is None else [f"p50 {words.figure(p50)}"]
    below += [] if n is None else [words.sample(round(n))]
    return _two_lines(words.figure(_number(point, f"{metric}_p99_ms")), ", ".join(below))


def _rate(point: Point) -> Cell:
    failed, ok = _number(point, "requests_failed"), _number(point, "requests_ok")
    below = "" if failed is None else f"{words.figure(failed)} failed"
    if failed is not None and ok is not None:
        below = f"{words.figure(failed)} of {words.figure(failed + ok)} failed"
    return _two_lines(words.figure(_number(point, "requests_per_s")), below)


def _two_lines(first: str, second: str) -> Cell:
    below = f'<br><small class="nw">{second}</small>' if second else ""
    return Cell(first + below)


def _said(found: RunList) -> str:
    n = len(found.points)
    told = [f"{words.plural(n, 'run')}, {found.in_progress:,} in progress, {found.deleted:,} deleted"]
    lacking = [f"{NAMES[field]} {found.missing[field]:,}" for field in FIELDS if found.missing[field]]
    told += [f"not logged, of {n:,}: {', '.join(lacking)}"] if lacking else []
    if found.not_finite:
        told.append(f"{words.plural(found.not_finite, 'metric')} NaN or infinite, shown as missing")
    told.append("runs hold percentiles without their requests, so no interval can be given")
    return ". ".join(one[0].upper() + one[1:] for one in told) + "."


def _rejected(refused: Sequence[Point]) -> None:
    if not refused:
        return
    with st.expander(f"Refused runs ({len(refused):,})"):
        rows: list[list[Cell | str]] = [
            [Cell(text.markup(one.run.name or one.run.run_id, 60)), Cell(text.markup(one.run.reason, 200))]
            for one in refused[:MOST]
        ]
        tables.show((Column("Run"), Column("Why")), rows, key="refused-runs")
