"""What each span of a tree is: its hop, whether it was awaited, and which children held its time."""

from __future__ import annotations

from budget_model.domain.hops import HOPS, Hop
from budget_model.normalise.fields import read_fields
from budget_model.normalise.rules import UNMAPPED, Rules
from budget_model.normalise.tree import Node

NETWORK = HOPS.index(Hop.NETWORK)


def settle(root: Node, rules: Rules) -> list[Node]:
    """Decide every node below ``root`` and return them, parents first.

    A span no rule maps takes the hop of the nearest mapped span above it that has a usable duration
    (a span that is set aside names no hop's time). Work nobody waited for
    (``is_async``, or a CONSUMER below a PRODUCER) is marked with everything beneath it.
    """
    order: list[Node] = []
    stack = [root]
    decide, table = rules.decide, rules.table
    while stack:
        node = stack.pop()
        order.append(node)
        node.waited_for = []
        span = node.span
        node.decision = decide(span)
        if span.attributes:
            node.fields = read_fields(span.attributes, table)
        if node is not root and node.parent is not None:
            _inherit(node, node.parent)
        if node.decision.hop != UNMAPPED and node.usable:
            node.hop = node.self_hop = node.decision.hop
        if node.children:
            stack += node.children[::-1]
    _place(order, root)
    return order


def _inherit(node: Node, parent: Node) -> None:
    span = node.span
    node.hop = node.inherited = node.self_hop = parent.hop
    kind = span.kind
    node.is_async = (
        parent.is_async or span.is_async or (kind == "CONSUMER" and parent.span.kind == "PRODUCER")
    )
    if (
        kind == "SERVER"
        and parent.span.kind == "CLIENT"
        and span.service != parent.span.service
        and parent.decision.hop == UNMAPPED
        and node.usable
        and not node.is_async
    ):
        parent.self_hop = NETWORK  # the client's time less the server's, which needs no common clock


def _place(order: list[Node], root: Node) -> None:
    """Give every usable awaited node to the nearest usable one above it."""
    moved: list[Node] = []
    for node in order:
        if node is root or node.is_async or node.end <= node.start:
            continue
        holder = node.parent
        while holder is not None and holder is not root and not holder.usable:
            holder = holder.parent
        if holder is None:
            continue
        if holder is not node.parent:
            moved.append(holder)
        holder.waited_for.append(node)
    for holder in moved:
        holder.waited_for.sort(key=lambda child: (child.start, child.span.span_id))
