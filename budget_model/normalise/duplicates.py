"""The same span delivered more than once: identical copies, and versions that contradict each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from budget_model.normalise.keys import content_digest
from budget_model.records.raw import SEEN
from budget_model.records.spans import Span

SpanKey = tuple[str, str, bool]
"""Trace id, span id, and whether it is the SERVER record (Zipkin shares an id between two records)."""


@dataclass(frozen=True, slots=True)
class Deduped:
    """``kept`` spans in the order their ids first appeared; what was left out is counted.

    ``duplicates`` counts records identical to another; ``updated`` those whose source was seen again
    later with another version; ``conflicts`` those that differ from another version of their id seen
    as late and lost to it. ``example`` names the first span with a conflict ("" without
    any), ``conflicting_traces`` the traces in which versions contradict each other.
    """

    kept: list[Span]
    duplicates: int
    conflicts: int
    example: str
    conflicting_traces: frozenset[str]
    updated: int = 0


def span_key(span: Span) -> SpanKey:
    """What identifies a span."""
    return (span.trace_id, span.span_id, span.kind == "SERVER")


def dedupe(spans: Iterable[Span]) -> Deduped:
    """One version of each span, whatever the order the records came in.

    Of versions that differ, those seen last at their source (``SEEN``) replace the others; of these the
    one with the later end is kept (an end beats none), then the one with an ERROR status, then the
    one with the smaller content digest.
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
    duplicates = conflicts = updated = 0
    contradicting: list[SpanKey] = []
    for key, more in others.items():
        distinct = _distinct([versions[key], *more])
        duplicates += 1 + len(more) - len(distinct)
        if len(distinct) > 1:
            latest = _seen_last(distinct)
            updated += len(distinct) - len(latest)
            versions[key] = min(latest, key=_preference)
            if len(latest) > 1:
                conflicts += len(latest) - 1
                contradicting.append(key)
    example = ""
    if contradicting:
        trace_id, span_id, _ = min(contradicting)
        example = f"trace {trace_id} span {span_id}"
    traces = frozenset(key[0] for key in contradicting)
    return Deduped(list(versions.values()), duplicates, conflicts, example, traces, updated)


def _distinct(spans: list[Span]) -> list[Span]:
    found: list[Span] = []
    for span in spans:
        if span not in found:
            found.append(span)
    return found


def _seen_last(versions: list[Span]) -> list[Span]:
    last = max(_seen(span) for span in versions)
    return [span for span in versions if _seen(span) == last]


def _seen(span: Span) -> int:
    value = span.resource.get(SEEN, 0)
    return value if isinstance(value, int) else 0


def _preference(span: Span) -> tuple[int, bool, int]:
    end = -1 if span.end_ns is None else span.end_ns
    return (-end, span.status != "ERROR", content_digest(span))
