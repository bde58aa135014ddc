"""How traces of one shape are measured, worked out on the first of them by the general way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from budget_model.normalise.calls import is_unsplit, split_calls
from budget_model.normalise.engine_spans import DECODE, QUEUE
from budget_model.normalise.marks import is_other_clock
from budget_model.normalise.rules import UNMAPPED, Rules
from budget_model.normalise.settle import NETWORK, settle
from budget_model.normalise.tree import Call, Node, plant
from budget_model.normalise.vocabulary.dimension_names import DIMENSIONS
from budget_model.records.facts import Flag
from budget_model.records.spans import Span

Stage = tuple[int, int]
"""Hop index and the place of the span that measures it."""


@dataclass(frozen=True, slots=True)
class CallPlan:
    """One call of a model: its place, and the stages measured inside it."""

    place: int
    stages: tuple[Stage, ...]


@dataclass(frozen=True, slots=True)
class NodePlan:
    """One span by its place in the trace (spans by start, then id).

    ``split`` is (call, hop before its first token, hop after) for self time that is split.
    ``wall`` says which interval counts for a hop: "span", "split", "decode", "transit" or "".
    """

    place: int
    parent: int
    waited_for: tuple[int, ...]
    self_hop: int
    hop: int
    split: tuple[int, int, int] | None
    wall: str
    servers: tuple[int, ...]
    other_clock: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """``nodes`` parents first. ``labels`` is, by dimension, the place that says it and whether by its
    resource. ``prompts`` are places whose tokens add, ``outputs`` places with their call (-1: none).
    """

    root: int
    nodes: tuple[NodePlan, ...]
    calls: tuple[CallPlan, ...]
    loose: tuple[tuple[Stage, ...], ...]
    labels: tuple[tuple[str, int, bool], ...]
    prompts: tuple[int, ...]
    outputs: tuple[tuple[int, int], ...]
    flags: int


def plan_of(spans: Sequence[Span], rules: Rules) -> Plan | None:
    """The plan for traces like this one (spans by start and id, all with a duration); None: no such way."""
    nodes, roots = plant(spans)
    if len(roots) != 1:
        return None
    order = settle(roots[0], rules)
    calls, loose = split_calls(order)
    place = {id(node): index for index, node in enumerate(nodes)}
    usual = len(order) == len(nodes) and not any(node.is_async for node in order)
    if not usual or any(call.nested or call.outer is not None for call in calls):
        return None
    number = {id(call): index for index, call in enumerate(calls)}
    plan = Plan(
        root=place[id(roots[0])],
        nodes=tuple(_node_plan(node, place, number) for node in order),
        calls=tuple(_call_plan(call, order, place) for call in calls),
        loose=_loose_plan(loose, place),
        labels=tuple(_labels(order, place, rules)),
        prompts=tuple(place[id(node)] for node in _carriers(order, "prompt_tokens")),
        outputs=tuple(
            (place[id(node)], _call_of(node, number)) for node in _carriers(order, "output_tokens")
        ),
        flags=int(Flag.LLM_CALL_NOT_SPLIT) if any(is_unsplit(call) for call in calls) else 0,
    )
    for node in nodes:
        node.unlink()
    return plan


def _node_plan(node: Node, place: dict[int, int], number: dict[int, int]) -> NodePlan:
    split = None
    if node.split is not None and node.part_of is not None:
        split = (number[id(node.part_of)], node.split[1], node.split[2])
    servers = [
        place[id(child)]
        for child in node.children
        if child.span.kind == "SERVER" and child.span.service != node.span.service
    ]
    return NodePlan(
        place=place[id(node)],
        parent=-1 if node.parent is None else place[id(node.parent)],
        waited_for=tuple(place[id(child)] for child in node.waited_for),
        self_hop=node.self_hop,
        hop=node.decision.hop,
        split=split,
        wall=_wall_of(node),
        servers=tuple(servers),
        other_clock=node.parent is not None and is_other_clock(node, node.parent),
    )


def _wall_of(node: Node) -> str:
    """The case of ``hop_times.wall_intervals`` that holds for the node."""
    if node.decision.hop != UNMAPPED:
        return "span"
    if node.split is not None:
        return "split"
    if node.part_of is not None and node.self_hop == DECODE:
        return "decode"
    return "transit" if node.self_hop == NETWORK and node.hop != NETWORK else ""


def _call_plan(call: Call, order: list[Node], place: dict[int, int]) -> CallPlan:
    inside = [node for node in order if node.call is call and node is not call.node]
    stages = [(node.decision.hop, place[id(node)]) for node in inside if _is_stage(node)]
    return CallPlan(place[id(call.node)], tuple(stages))


def _is_stage(node: Node) -> bool:
    return QUEUE <= node.decision.hop <= DECODE


def _loose_plan(loose: list[Node], place: dict[int, int]) -> tuple[tuple[Stage, ...], ...]:
    by_parent: dict[int, list[Stage]] = {}
    for node in loose:
        by_parent.setdefault(id(node.parent), []).append((node.decision.hop, place[id(node)]))
    return tuple(tuple(stages) for stages in by_parent.values())


def _labels(order: list[Node], place: dict[int, int], rules: Rules) -> list[tuple[str, int, bool]]:
    """As ``dimensions.dimensions_of``: given ones first, else the first span in order, then its resource."""
    found: dict[str, tuple[bool, int, bool]] = {}
    for node in order:
        own, outer = node.fields, rules.of_resource(node.span.resource)[1]
        for fields, by_resource in ((own, False), (outer, True)):
            for name, (rank, _) in (fields or {}).items():
                is_given = rank < 0
                if name in DIMENSIONS and (name not in found or (is_given and not found[name][0])):
                    found[name] = (is_given, place[id(node)], by_resource)
    return [(name, where, by_resource) for name, (_, where, by_resource) in found.items()]


def _carriers(order: list[Node], field: str) -> list[Node]:
    """The outermost spans that carry a token count, as ``dimensions.token_counts`` has it."""
    return [node for node in order if _has(node, field) and not _has_above(node, field)]


def _has(node: Node, field: str) -> bool:
    return node.fields is not None and field in node.fields


def _has_above(node: Node, field: str) -> bool:
    above = node.parent
    while above is not None:
        if _has(above, field):
            return True
        above = above.parent
    return False


def _call_of(node: Node, number: dict[int, int]) -> int:
    return -1 if node.call is None else number[id(node.call)]
