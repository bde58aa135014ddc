"""Reading a whole file at once, as tests want it."""

from __future__ import annotations

from pathlib import Path

from budget_model.records.raw import ReadOptions
from budget_model.records.spans import Span
from budget_model.services.reading import Batch, plan, read_part

DATA = Path(__file__).parent / "data"


def imported(path: Path, format: str | None = None) -> Batch:
    """Everything of a file in one batch; holds that what was read was accepted or refused."""
    whole = Batch([], [], [], [], [])
    for part in plan(path, format=format):
        for batch in read_part(part, ReadOptions()):
            whole.spans += batch.spans
            whole.facts += batch.facts
            whole.gaps += batch.gaps
            whole.rejects += batch.rejects
            whole.warnings += batch.warnings
            whole.records += batch.records
            whole.accepted += batch.accepted
    assert whole.records == whole.accepted + len(whole.rejects)
    assert whole.accepted == len(whole.spans) + len(whole.facts)
    return whole


def written(path: Path, text: str, format: str | None = None) -> Batch:
    """The batch of a file with this content."""
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return imported(path, format)


def warning_codes(batch: Batch) -> set[str]:
    """What was remarked on."""
    return {warning.code for warning in batch.warnings}


def shape(spans: list[Span]) -> dict[str, int]:
    """Counts of a file's spans: records, distinct, traces, roots, orphans, errors."""
    distinct = {(span.trace_id, span.span_id): span for span in spans}
    return {
        "records": len(spans),
        "distinct": len(distinct),
        "traces": len({span.trace_id for span in spans}),
        "roots": sum(not span.parent_id for span in distinct.values()),
        "orphans": sum(
            bool(span.parent_id) and (span.trace_id, span.parent_id) not in distinct
            for span in distinct.values()
        ),
        "errors": sum(span.status == "ERROR" for span in distinct.values()),
    }


def root_seconds(spans: list[Span]) -> list[float]:
    """Durations of the distinct roots, ascending."""
    distinct = {(span.trace_id, span.span_id): span for span in spans}
    return sorted(
        (span.end_ns - span.start_ns) / 1e9
        for span in distinct.values()
        if not span.parent_id and span.end_ns is not None
    )
