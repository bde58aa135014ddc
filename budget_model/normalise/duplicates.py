"""The same span delivered more than once: identical copies, and versions that contradict each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from budget_model.normalise.keys import content_digest
from budget_model.records.spans import Span

SpanKey = tuple[str, str, bool]
"""Trace id, span id, and whether it is the SERVER record (Zipkin shares an id between two records)."""


@dataclass(frozen=True, slots=True)
class Deduped:
    """``kept`` spans in the order their ids first appeared; what was left out is counted.

    ``duplicates`` counts records identical to another; ``conflicts`` those that differ from another
    version of their id and lost to it. ``example`` names the first span with a conflict ("" without
    any), ``conflicting_traces`` the traces in which versions contradict each other.
    """

    kept: list[Span]
    duplicates: int
    conflicts: int
    example: str
    conflicting_traces: frozenset[str]


def span_key(span: Span) -> SpanKey:
    """What identifies a span."""
    return (span.trace_id, span.span_id, span.kind == "SERVER")


def dedupe(spans: Iterable[Span]) -> Deduped:
    """One version of each span, whatever the order the records came in.

    Of versions that differ, the one with the later end is kept (an end beats none), then the one
    with an ERROR status, then the one with the smaller content digest.
    """
    versions: dict[SpanKey, Span] = {}
    others: dict[SpanKey, list[Span]] = {}
    for span in spans:
        key = (span.trace_id, span.span_id, span.kind == "SERVER")
        if key in versions:
            others.setdefault(key, []).append(span)
        else:
            versions[key] = span
    if not others:
        return Deduped(list(versions.values()), 0, 0, "", frozenset())
    return _settle(versions, others)


def _settle(versions: dict[SpanKey, Span], others: dict[SpanKey, list[Span]]) -> Deduped:
    duplicates = conflicts = 0
    contradicting: list[SpanKey] = []
    for key, more in others.items():
        distinct = _distinct([versions[key], *more])
        duplicates += 1 + len(more) - len(distinct)
        if len(distinct) > 1:
            conflicts += len(distinct) - 1
            contradicting.append(key)
            versions[key] = min(distinct, key=_preference)
    example = ""
    if contradicting:
        trace_id, span_id, _ = min(contradicting)
        example = f"trace {trace_id} span {span_id}"
    traces = frozenset(key[0] for key in contradicting)
    return Deduped(list(versions.values()), duplicates, conflicts, example, traces)


def _distinct(spans: list[Span]) -> list[Span]:
    found: list[Span] = []
    for span in spans:
        if span not in found:
            found.append(span)
    return found


def _preference(span: Span) -> tuple[int, bool, int]:
    end = -1 if span.end_ns is None else span.end_ns
    return (-end, span.status != "ERROR", content_digest(span))
