"""Failed attempts: work that was done again by a later sibling."""

from __future__ import annotations

from budget_model.normalise.fields import count
from budget_model.normalise.tree import Node


def mark_attempts(order: list[Node]) -> int:
    """Mark failed attempts with all beneath them and the waits after them; return the attempts made.

    A failed (ERROR) span is an attempt when a later sibling, starting at or after its end, does the
    same work: it has the same name, or both are calls of a model (a fallback), or its attempt
    number is higher. The time between the two in which the parent did nothing else is back-off.
    The count is 1 plus the failed attempts that were followed by another.
    """
    failed = 0
    for node in order:
        if node.span.status == "ERROR" and node.parent is not None and not node.superseded and node.usable:
            following = _next_attempt(node, node.parent)
            if following is not None:
                failed += 1
                _supersede(node, node.parent, following)
    return 1 + failed


def _next_attempt(failed: Node, parent: Node) -> Node | None:
    """The earliest sibling that repeats the work; siblings are in order of start."""
    for sibling in parent.children:
        is_later = sibling is not failed and sibling.start >= failed.end
        if is_later and sibling.is_async == failed.is_async and _same_work(failed, sibling):
            return sibling
    return None


def _same_work(failed: Node, later: Node) -> bool:
    if later.span.name == failed.span.name:
        return True
    if failed.decision.llm_call and later.decision.llm_call:
        return True
    number = count(later.fields, "attempt")
    return number is not None and number > (count(failed.fields, "attempt") or 0)


def _supersede(failed: Node, parent: Node, following: Node) -> None:
    for node in failed.below():
        node.superseded = True
    if following.start > failed.end:
        parent.back_off = [*(parent.back_off or ()), (failed.end, following.start)]
