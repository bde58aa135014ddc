"""What each span of a tree is: its hop, whether it was awaited, and which children held its time."""

from __future__ import annotations

from budget_model.domain.hops import HOPS, Hop
from budget_model.normalise.fields import read_fields, read_usage_events
from budget_model.normalise.rules import Rules
from budget_model.normalise.tree import NO_NODES, Node
from budget_model.records.spans import Span

NETWORK = HOPS.index(Hop.NETWORK)


def settle(root: Node, rules: Rules) -> list[Node]:
    """Decide every node below ``root`` and return them, parents first.

    A span no rule maps takes the hop of the nearest mapped span above it that has a usable duration
    (a span that is set aside names no hop's time). Work nobody waited for
    (``is_async``, or a CONSUMER below a PRODUCER) is marked with everything beneath it.
    """
    order: list[Node] = []
    moved: list[Node] = []
    stack = [root]
    decide, table = rules.decide, rules.table
    while stack:
        node = stack.pop()
        order.append(node)
        span = node.span
        node.waited_for = NO_NODES
        decision = node.decision = decide(span)
        if span.attributes:
            node.fields = read_fields(span.attributes, table)
        if span.events:
            node.fields = read_usage_events(span.events, table, node.fields)
        if node.parent is not None:
            _inherit(node, node.parent, span, root, moved)
        if decision.hop >= 0 and node.usable:
            node.hop = node.self_hop = decision.hop
        if node.children:
            stack += node.children[::-1]
    for holder in {id(holder): holder for holder in moved}.values():
        holder.waited_for.sort(key=lambda child: (child.start, child.span.span_id))
    return order


def _inherit(node: Node, parent: Node, span: Span, root: Node, moved: list[Node]) -> None:
    """Take over hop and async from the parent, and take a place among those it waited for."""
    node.hop = node.inherited = node.self_hop = parent.hop
    kind = span.kind
    if parent.is_async or span.is_async or (kind == "CONSUMER" and parent.span.kind == "PRODUCER"):
        node.is_async = True
    elif node.end > node.start:
        if kind == "SERVER" and parent.span.kind == "CLIENT" and parent.decision.hop < 0:
            _take_transit(node, parent)
        holder = parent
        if not parent.usable:
            holder = _nearest_usable(parent, root)
            moved.append(holder)
        if holder.waited_for:
            holder.waited_for.append(node)
        else:
            holder.waited_for = [node]


def _take_transit(server: Node, client: Node) -> None:
    """Between services the client's time less the server's is transit, which needs no common clock."""
    if server.span.service != client.span.service:
        client.self_hop = NETWORK


def _nearest_usable(parent: Node, root: Node) -> Node:
    """Below a span without a usable duration the nearest usable one above it waited."""
    holder = parent
    while not holder.usable and holder is not root and holder.parent is not None:
        holder = holder.parent
    return holder
