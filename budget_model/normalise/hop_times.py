"""Path and wall time of each hop of one tree, in nanoseconds."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import itemgetter

from budget_model.domain.hops import HOPS, Hop
from budget_model.domain.intervals import Interval, clip, difference, union
from budget_model.domain.partition import SELF, backward_walk
from budget_model.normalise.engine_spans import DECODE, PREFILL
from budget_model.normalise.rules import UNMAPPED
from budget_model.normalise.settle import NETWORK
from budget_model.normalise.tree import Node

RETRY = HOPS.index(Hop.RETRY)
HopSegment = tuple[int, int, int, Node]
"""Start, end, hop index and the node that held the time."""


def path_segments(root: Node) -> list[HopSegment]:
    """[root.start, root.end] divided over nodes and hops, without gap or overlap, in no order.

    The backward walk of ``domain.partition`` on the root, then inside every child on the time the
    walk gave it; what no child holds is the node's self time. A failed attempt is not divided. Parts
    are cut at first tokens and at waits between attempts.
    """
    parts: list[HopSegment] = []
    stack = [(root, root.start, root.end)]
    while stack:
        node, low, high = stack.pop()
        children = node.waited_for
        if node.superseded:
            parts.append((low, high, RETRY, node))
            continue
        if not children:
            own = [(low, high)]
        elif len(children) == 1:
            own = _around_one(children[0], low, high, stack)
        else:
            own = _around_many(children, low, high, stack)
        if node.split is None and node.back_off is None:
            hop = node.self_hop
            parts += [(start, end, hop, node) for start, end in own if start < end]
        else:
            waits = union(node.back_off or ())
            for start, end in own:
                _keep(start, end, node, waits, parts)
    return parts


def _around_one(child: Node, low: int, high: int, stack: list[tuple[Node, int, int]]) -> list[Interval]:
    """What a single child leaves of [low, high]; its part goes on the stack."""
    since = child.start if child.start > low else low
    until = child.end if child.end < high else high
    if since >= until:
        return [(low, high)]
    stack.append((child, since, until))
    return [(low, since), (until, high)]


def _around_many(
    children: list[Node], low: int, high: int, stack: list[tuple[Node, int, int]]
) -> list[Interval]:
    """What the children leave of [low, high]; their parts go on the stack."""
    own: list[Interval] = []
    starts, ends = [child.start for child in children], [child.end for child in children]
    for since, until, by in backward_walk(low, high, starts, ends):
        if by == SELF:
            own.append((since, until))
        else:
            stack.append((children[by], since, until))
    return own


def _keep(start: int, end: int, node: Node, waits: list[Interval], parts: list[HopSegment]) -> None:
    """Book self time of a node; ``waits`` between its attempts are in order and do not touch."""
    if start >= end:
        return
    first = bisect_right(waits, start, key=itemgetter(1))
    near = clip(waits[first : bisect_left(waits, end, key=itemgetter(0))], start, end)
    parts += [(low, high, RETRY, node) for low, high in near]
    for low, high in difference((start, end), near):
        _work(low, high, node, parts)


def _work(start: int, end: int, node: Node, parts: list[HopSegment]) -> None:
    if node.split is None:
        parts.append((start, end, node.self_hop, node))
        return
    point, before, after = node.split
    if point <= start:
        parts.append((start, end, after, node))
    elif point >= end:
        parts.append((start, end, before, node))
    else:
        parts += [(start, point, before, node), (point, end, after, node)]


def wall_intervals(order: list[Node]) -> dict[int, list[Interval]]:
    """Hop index to the intervals of its spans: awaited, with a usable duration, not repeated later.

    Spans are not cut to the root: a hop's own duration is what its span says. ``network`` from a
    client and its server is the client's interval less the server's; ``retry`` is failed attempts.
    """
    walls: dict[int, list[Interval]] = {}
    for node in order:
        if node.is_async or not node.usable:
            continue
        if node.superseded:
            if node.parent is None or not node.parent.superseded:
                walls.setdefault(RETRY, []).append((node.start, node.end))
        elif node.decision.hop != UNMAPPED:
            walls.setdefault(node.decision.hop, []).append((node.start, node.end))
        elif node.split is not None:
            _split_walls(node, node.split, walls)
        elif node.part_of is not None and node.self_hop == DECODE:
            walls.setdefault(DECODE, []).append((node.start, node.end))
        elif node.self_hop == NETWORK and node.hop != NETWORK:
            walls.setdefault(NETWORK, []).extend(_transit(node))
    return walls


def _split_walls(node: Node, split: tuple[int, int, int], walls: dict[int, list[Interval]]) -> None:
    point, before, after = split
    if before == PREFILL:
        walls.setdefault(PREFILL, []).append((node.start, max(min(point, node.end), node.start)))
    if after == DECODE:
        walls.setdefault(DECODE, []).append((min(max(point, node.start), node.end), node.end))


def _transit(node: Node) -> list[Interval]:
    servers = [
        (child.start, child.end)
        for child in node.children
        if child.span.kind == "SERVER" and child.span.service != node.span.service and child.usable
    ]
    return difference((node.start, node.end), servers)
