"""Stages that an engine records as attributes of one span, made into spans of their own."""

from __future__ import annotations

from budget_model.domain.hops import HOPS, Hop
from budget_model.normalise.fields import number
from budget_model.normalise.rules import Decision
from budget_model.normalise.tree import Node
from budget_model.records.spans import Span

QUEUE, PREFILL, DECODE = (HOPS.index(hop) for hop in (Hop.QUEUE, Hop.PREFILL, Hop.DECODE))
_NS = 1_000_000_000


def engine_stages(node: Node, first_token: int | None) -> list[Node]:
    """Virtual children queue, prefill and decode of a call, from its ``gen_ai.latency.*`` seconds.

    Decode starts at the first token; prefill ends there and queue ends where prefill starts, so the
    engine's front end comes first. Without a first token they follow one another from the span's
    start. When queue and prefill together are longer than the time to the first token, prefill was
    counted from dispatch and contains the queue (SGLang): it is shortened by it. Everything is cut
    to the span. Empty when no such attribute is there.
    """
    fields = node.fields
    queue, prefill, decode = (_ns(number(fields, name)) for name in ("queue_s", "prefill_s", "decode_s"))
    if prefill is None and decode is None and queue is None:
        return []
    before = (queue or 0) + (prefill or 0)
    if first_token is not None and prefill and queue and before > first_token - node.start:
        prefill = max(prefill - queue, 0)
        before = queue + prefill
    middle = node.start + before if first_token is None else first_token
    queue_end = middle - (prefill or 0)
    placed = (
        (QUEUE, queue, queue_end - (queue or 0), queue_end),
        (PREFILL, prefill, queue_end, middle),
        (DECODE, decode, middle, middle + (decode or 0)),
    )
    return [
        _virtual(node, hop, max(start, node.start), min(end, node.end))
        for hop, length, start, end in placed
        if length is not None
    ]


def _virtual(node: Node, hop: int, start: int, end: int) -> Node:
    name = HOPS[hop].value
    of = node.span
    start = min(start, node.end)
    span = Span(
        of.trace_id,
        f"{of.span_id}:{name}",
        of.span_id,
        name,
        "INTERNAL",
        of.service,
        of.host,
        start,
        max(end, start),
        "UNSET",
        "",
        {},
        {},
        [],
    )
    child = Node(span)
    child.parent = node
    child.virtual = True
    child.decision = Decision(hop, False, "engine: durations recorded as attributes")
    child.hop = child.self_hop = hop
    return child


def _ns(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * _NS)
