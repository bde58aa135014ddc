"""A check as a run to publish: what was measured against the budget, with n and intervals."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from budget_model.domain.binomial import proportion_interval
from budget_model.exports.mlflow_page import Table, html_page
from budget_model.exports.mlflow_run import (
    Artifact,
    RunKind,
    RunRecord,
    budget_params,
    budget_tags,
    run_record,
    segment_words,
)
from budget_model.services.budget_formula import formula_sentences, left_words
from budget_model.services.budget_words import verdict_words
from budget_model.services.checking import Check

Times = tuple[int, int] | None
"""First and last start of the requests, UTC microseconds."""


def check_record(found: Check, times: Times = None, load_test: Path | None = None) -> RunRecord:
    """The record of a check of at least one request.

    ``times`` are those of the traffic; ``load_test`` is the file that was checked in its place.
    """
    budget = found.budget
    kind = RunKind.CHECK if load_test is None else RunKind.LOAD_TEST
    name = f"{kind} {budget.name} v{budget.version}: {found.decision}"
    said = _sentence(found)
    told = {} if load_test is None else {"tailbudget.load_test": load_test.name}
    metrics = _metrics(found)
    document = _document(found, metrics, times, told)
    return run_record(
        kind,
        name,
        params={**budget_params(budget), **_period(times)},
        metrics=metrics,
        tags={
            **budget_tags(budget),
            **told,
            "tailbudget.decision": str(found.decision),
            "mlflow.note.content": said,
        },
        artifacts=(
            Artifact("check.json", msgspec.json.format(msgspec.json.encode(document)).decode() + "\n"),
            Artifact("check.html", _page(name, said, found, _period(times))),
        ),
    )


def _metrics(found: Check) -> dict[str, float | None]:
    estimate, e2e = found.observed.estimate, found.e2e
    low, high = proportion_interval(e2e.n - e2e.bad, e2e.n)
    metrics: dict[str, float | None] = {
        "n": e2e.n,
        "bad": e2e.bad,
        "failed": found.observed.failed,
        "rejected": found.rejected,
        "attainment": (e2e.n - e2e.bad) / e2e.n,
        "attainment_low": low,
        "attainment_high": high,
        "e2e_ms": estimate.value_ms,
        "e2e_low_ms": estimate.interval.low_ms,
        "e2e_high_ms": estimate.interval.high_ms,
        "e2e_n": estimate.n,
        "error_budget_left": found.error_budget.left,
    }
    for line in found.lines:
        verdict = line.verdict
        metrics |= {
            f"n.{line.hop}": verdict.n,
            # Of a hop that nobody recorded no request is known to be over or inside.
            f"over.{line.hop}": verdict.bad if verdict.n else None,
            f"bar_ms.{line.hop}": line.bar_ms,
            f"line_ms.{line.hop}": line.line_ms,
            f"own_limit_ms.{line.hop}": line.guard_limit_ms,
        }
    return metrics


def _document(
    found: Check, metrics: Mapping[str, float | None], times: Times, told: Mapping[str, str]
) -> dict[str, Any]:
    budget = found.budget
    return {
        "budget": budget.name,
        "version": budget.version,
        "segment": dict(budget.content.segment),
        **_period(times),
        **told,
        "decision": found.decision,
        "lines": {line.hop: line.verdict.decision for line in found.lines},
        "figures": metrics,
    }


def _period(times: Times) -> dict[str, str]:
    if times is None:
        return {}
    first, last = (datetime.fromtimestamp(us / 1_000_000, UTC).isoformat(timespec="seconds") for us in times)
    return {"first_request": first, "last_request": last}


def _sentence(found: Check) -> str:
    content, e2e = found.budget.content, found.e2e
    return (
        f"{found.decision}: {e2e.bad:,} of {e2e.n:,} requests missed {content.target_us / 1000:,g} ms or "
        f"failed ({found.observed.failed:,} failed). {verdict_words(e2e)}"
    )


def _page(name: str, said: str, found: Check, period: Mapping[str, str]) -> str:
    rows = [
        (
            line.hop,
            f"{line.line_ms:,.1f}",
            "not recorded" if line.bar_ms is None else f"{line.bar_ms:,.1f}",
            f"{line.guard_limit_ms:,.1f}",
            f"{line.verdict.bad:,} of {line.verdict.n:,}",
            str(line.verdict.decision),
        )
        for line in found.lines
    ]
    sentences = [said, f"Error budget: {left_words(found.error_budget)}.", *formula_sentences(found)]
    sentences.append(f"Applies to {segment_words(found.budget.content.segment)}.")
    if period:
        sentences.append(f"Requests from {period['first_request']} to {period['last_request']}.")
    if found.rejected:
        sentences.append(f"{found.rejected:,} records could not be read and are left out.")
    titles = ("hop", "line, ms", "bar now, ms", "own limit, ms", "over it", "verdict")
    return html_page(name, sentences, (Table(titles, rows),))
