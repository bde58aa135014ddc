"""The spans of one trace as trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

from budget_model.domain.hops import HOPS, Hop
from budget_model.domain.intervals import Interval
from budget_model.normalise.fields import Found
from budget_model.normalise.rules import UNMAPPED, Decision
from budget_model.records.spans import Span

UNATTRIBUTED = HOPS.index(Hop.UNATTRIBUTED)
_UNDECIDED = Decision(UNMAPPED, False, "")
_in_order = attrgetter("start_ns", "span_id", "kind")


NO_NODES: list[Node] = []  # what most spans have; lists of their own are made when first needed


class Node:
    """A span in its tree, with what is found out about it.

    ``start`` and ``end`` are in ns and may be corrected; ``end`` equals ``start`` when the span has
    no usable duration, and ``usable`` is then False. ``waited_for`` are the children that can hold
    the parent's time: usable, awaited, those of an unusable child in its place, in order of start.
    ``hop`` is the span's own or inherited hop and ``self_hop`` the one its self time goes to, both
    indices into ``HOPS``. ``split`` is (time, hop before, hop after) for self time split at a first
    token. ``back_off`` are the waits before a next attempt, inside this span. ``call`` is the
    nearest call of a model around the node (or itself), ``part_of`` the one whose split it shares.
    """

    parent: Node | None = None
    children: list[Node] = NO_NODES
    waited_for: list[Node] = NO_NODES
    decision = _UNDECIDED
    hop = inherited = self_hop = UNATTRIBUTED
    split: tuple[int, int, int] | None = None
    back_off: list[Interval] | None = None
    is_async = superseded = virtual = False
    fields: Found | None = None
    call: Call | None = None
    part_of: Call | None = None

    def __init__(self, span: Span) -> None:
        start, end = span.start_ns, span.end_ns
        self.span = span
        self.start = start
        if end is None or end < start:
            self.usable, self.end = False, start
        else:
            self.usable, self.end = True, end

    def adopt(self, child: Node) -> None:
        """Add a child after the others."""
        if self.children:
            self.children.append(child)
        else:
            self.children = [child]

    def unlink(self) -> None:
        """Let go of the tree: without circles its memory is free at once, not at some later collection."""
        self.__dict__.clear()

    def below(self) -> Iterator[Node]:
        """This node and all beneath it, parents first, children by start."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


class Call:
    """One call of a model. ``stages`` are (hop index, start, end) of what is measured inside it.

    ``outer`` is the call around it, ``members`` the nodes whose self time follows its split,
    ``first`` the time of its first token when known, ``nested`` whether calls lie inside it.
    """

    __slots__ = ("first", "members", "nested", "node", "outer", "stages", "tokens")

    def __init__(self, node: Node, outer: Call | None) -> None:
        self.node = node
        self.outer = outer
        self.stages: list[tuple[int, int, int]] = []
        self.members: list[Node] = [node]
        self.first: int | None = None
        self.nested = False
        self.tokens: int | None = None


def is_root(span: Span) -> bool:
    """No parent, an empty one or one of all zeros."""
    return not span.parent_id or not span.parent_id.strip("0")


def plant(spans: Sequence[Span]) -> tuple[list[Node], list[Node]]:
    """All nodes and the roots among them, both by (start, id).

    A SERVER record that shares its id with the caller's record (Zipkin) stands below it, and
    children named by that id stand below the server's. What no root leads to is an orphan, be its
    parent absent or part of a circle.
    """
    nodes = [Node(span) for span in sorted(spans, key=_in_order)]
    by_id: dict[str, Node] = {}
    callers: dict[str, Node] = {}
    for node in nodes:
        known = by_id.setdefault(node.span.span_id, node)
        if known is not node:
            _share(known, node, by_id, callers)
    roots = []
    for node in nodes:
        span = node.span
        parent = callers.get(span.span_id) if callers else None
        if parent is None or parent is node:
            parent = by_id.get(span.parent_id)
            if parent is None:
                if is_root(span):
                    roots.append(node)
                continue
        if parent is not node:
            node.parent = parent
            parent.adopt(node)
    return nodes, roots


def _share(known: Node, node: Node, by_id: dict[str, Node], callers: dict[str, Node]) -> None:
    server, other = (node, known) if node.span.kind == "SERVER" else (known, node)
    if server.span.kind == "SERVER" and other.span.kind != "SERVER":
        callers[node.span.span_id] = other
        by_id[node.span.span_id] = server
