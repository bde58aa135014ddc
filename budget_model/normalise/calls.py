"""Calls of a model: when the first token came, and which part of the call is prefill and decode."""

from __future__ import annotations

from budget_model.normalise.engine_spans import DECODE, PREFILL, QUEUE, engine_stages
from budget_model.normalise.fields import number
from budget_model.normalise.rules import UNMAPPED
from budget_model.normalise.settle import NETWORK
from budget_model.normalise.tree import Call, Node
from budget_model.normalise.vocabulary.gen_ai import FIRST_ANSWER_EVENTS, FIRST_TOKEN_EVENTS

_NS_PER_S, _NS_PER_MS = 1_000_000_000, 1_000_000


def split_calls(order: list[Node]) -> tuple[list[Call], list[Node]]:
    """Split every awaited call that was not repeated at its first token.

    Returns the calls, outer before inner, and the queue, prefill and decode spans outside any call.
    Virtual stage nodes are added to the tree and to ``order``.
    """
    calls: list[Call] = []
    loose: list[Node] = []
    for node in order:
        if node.superseded or node.is_async:
            continue
        parent = node.parent
        decision = node.decision
        outer = None if parent is None else parent.call
        if decision.llm_call and node.usable:
            node.call = node.part_of = Call(node, outer)
            calls.append(node.call)
            continue
        node.call = outer
        if decision.hop == UNMAPPED:
            if outer is not None and parent is not None and parent.part_of is not None:
                node.part_of = outer
                outer.members.append(node)
        elif QUEUE <= decision.hop <= DECODE and node.usable:
            if outer is None:
                loose.append(node)
            else:
                outer.stages.append((decision.hop, node.start, node.end))
    for call in reversed(calls):
        order += _split(call)
    return calls, loose


def first_token_of(node: Node) -> int | None:
    """The time of the first token as the span itself records it, by attribute or event, cut to the span."""
    seconds = number(node.fields, "first_token_s")
    if seconds is not None:
        return min(node.start + round(seconds * _NS_PER_S), node.end)
    ms = number(node.fields, "first_token_ms")
    if ms is not None:
        return min(node.start + round(ms * _NS_PER_MS), node.end)
    return _event_time(node, FIRST_TOKEN_EVENTS)


def first_answer_of(node: Node) -> int | None:
    """The time of the first token of the answer, when an event marks it."""
    return _event_time(node, FIRST_ANSWER_EVENTS)


def _event_time(node: Node, names: frozenset[str]) -> int | None:
    moved = node.start - node.span.start_ns
    times = [event.time_ns + moved for event in node.span.events if event.name in names]
    return min(max(min(times), node.start), node.end) if times else None


def _split(call: Call) -> list[Node]:
    node = call.node
    explicit = first_token_of(node)
    virtual = [] if call.stages or call.nested else engine_stages(node, explicit)
    for child in virtual:
        node.adopt(child)
        call.stages.append((child.decision.hop, child.start, child.end))
    if virtual:
        awaited = [*node.waited_for, *[child for child in virtual if child.end > child.start]]
        node.waited_for = sorted(awaited, key=lambda child: (child.start, child.span.span_id))
    call.first = explicit if explicit is not None else _first_by_stage(call)
    _share_out(call)
    if call.outer is not None:
        _pass_on(call, call.outer)
    return virtual


def _first_by_stage(call: Call) -> int | None:
    """The earliest first token of calls inside, else the end of the last prefill before any decode."""
    if call.first is not None or call.nested:
        return call.first
    return first_generation(call.stages)[0]


def first_generation(stages: list[tuple[int, int, int]]) -> tuple[int | None, int | None]:
    """First and last token of the first prefill and decode among ``stages``; None where unknown."""
    first = last = None
    for hop, _, end in sorted(stages, key=lambda stage: (stage[1], stage[2])):
        if hop == PREFILL:
            if last is not None:
                break
            first = end if first is None else max(first, end)
        elif hop == DECODE:
            last = end if last is None else max(last, end)
    return first, last


def _share_out(call: Call) -> None:
    """Give the self time of the call and of its unmapped parts to prefill and decode.

    A stage that has a span of its own is not measured twice: what then remains beside it is the
    work around the model and takes the hop the call inherits. So does a call around other calls
    whose split is unknown.
    """
    found = {hop for hop, _, _ in call.stages}
    inherited = call.node.inherited
    point = call.first
    if point is None and DECODE in found and not call.nested:
        point = min(start for hop, start, _ in call.stages if hop == DECODE)
    before = inherited if PREFILL in found else PREFILL
    after = inherited if DECODE in found else DECODE
    for member in call.members:
        if member.self_hop == NETWORK and member.decision.hop == UNMAPPED and member.hop != NETWORK:
            continue
        if point is not None:
            member.split = (point, before, after)
        else:
            member.self_hop = inherited if call.nested else DECODE


def _pass_on(call: Call, outer: Call) -> None:
    outer.nested = True
    outer.stages += call.stages
    if call.first is not None:
        outer.first = call.first if outer.first is None else min(outer.first, call.first)
        if not any(hop == PREFILL for hop, _, _ in call.stages):
            outer.stages.append((PREFILL, call.node.start, call.first))
        if not any(hop == DECODE for hop, _, _ in call.stages):
            outer.stages.append((DECODE, call.first, call.node.end))
    elif not any(hop == DECODE for hop, _, _ in call.stages):
        outer.stages.append((DECODE, call.node.start, call.node.end))


def is_unsplit(call: Call) -> bool:
    """Whether all of the call's own time went to decode because nothing tells prefill from it."""
    return not call.nested and call.first is None and not any(hop == DECODE for hop, _, _ in call.stages)
