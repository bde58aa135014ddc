"""Failed attempts: work that was done again by a later sibling."""

from __future__ import annotations

from bisect import bisect_left

from budget_model.normalise.fields import count
from budget_model.normalise.tree import Node

_CALL = "\0call"  # stands for any call of a model; no span has such a name


def mark_attempts(order: list[Node]) -> int:
    """Mark failed attempts with all beneath them and the waits after them; return the attempts made.

    A failed (ERROR) span is an attempt when a later sibling, starting at or after its end, does the
    same work: it has the same name, or both are calls of a model (a fallback), or its attempt
    number is higher. The time between the two in which the parent did nothing else is back-off.
    The count is 1 plus the failed attempts that were followed by another.
    """
    failed = 0
    siblings: dict[int, _Siblings] = {}
    for node in order:
        parent = node.parent
        if node.span.status == "ERROR" and parent is not None and not node.superseded and node.usable:
            among = siblings.get(id(parent))
            if among is None:
                among = siblings[id(parent)] = _Siblings(parent)
            following = among.next_attempt(node)
            if following is not None:
                failed += 1
                _supersede(node, parent, following)
    return 1 + failed


class _Siblings:
    """Children of one span by the work they do, each list in order of start."""

    def __init__(self, parent: Node) -> None:
        self._by_work: dict[tuple[str, bool], list[Node]] = {}
        self._numbered: list[tuple[int, Node]] = []
        for child in parent.children:
            self._by_work.setdefault((child.span.name, child.is_async), []).append(child)
            if child.decision.llm_call:
                self._by_work.setdefault((_CALL, child.is_async), []).append(child)
            number = count(child.fields, "attempt")
            if number:
                self._numbered.append((number, child))

    def next_attempt(self, failed: Node) -> Node | None:
        """The earliest sibling that repeats the work of a failed one."""
        found = [self._after(failed, failed.span.name)]
        if failed.decision.llm_call:
            found.append(self._after(failed, _CALL))
        if self._numbered:
            mine = count(failed.fields, "attempt") or 0
            later = (child for number, child in self._numbered if number > mine and _follows(child, failed))
            found.append(next(later, None))
        known = [child for child in found if child is not None]
        return min(known, key=lambda child: (child.start, child.span.span_id), default=None)

    def _after(self, failed: Node, work: str) -> Node | None:
        same = self._by_work[work, failed.is_async]
        index = bisect_left(same, failed.end, key=lambda child: child.start)
        return next((child for child in same[index : index + 2] if child is not failed), None)


def _follows(child: Node, failed: Node) -> bool:
    return child is not failed and child.start >= failed.end and child.is_async == failed.is_async


def _supersede(failed: Node, parent: Node, following: Node) -> None:
    for node in failed.below():
        node.superseded = True
    if following.start > failed.end:
        if parent.back_off is None:
            parent.back_off = []
        parent.back_off.append((failed.end, following.start))
