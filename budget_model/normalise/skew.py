"""Moving the spans of hosts whose clock disagrees with their parent's; done only when asked for."""

from __future__ import annotations

from budget_model.domain.skew import skew_delta
from budget_model.normalise.tree import Node


def correct_clocks(root: Node) -> bool:
    """Shift nodes below ``root`` in place, start and end together; True when any moved.

    A child on another host (or on an unknown one) is compared with its parent, already moved, and
    its shift passes on to descendants on the same host. The spans themselves keep their raw times.
    """
    moved = False
    stack = [(child, root, 0) for child in root.children]
    while stack:
        node, parent, delta = stack.pop()
        host = node.span.host
        if not host or host != parent.span.host:
            delta = 0
            if node.usable and parent.usable:
                delta = skew_delta(parent.start, parent.end - parent.start, node.start, node.end - node.start)
        if delta:
            moved = True
            node.start += delta
            node.end += delta
        stack += [(child, node, delta) for child in node.children]
    if moved:
        for node in root.below():
            node.children.sort(key=lambda child: (child.start, child.span.span_id, child.span.kind))
    return moved
