"""What is remarkable about a request's spans, and how it ended."""

from __future__ import annotations

from budget_model.normalise.fields import number
from budget_model.normalise.tree import Node
from budget_model.normalise.vocabulary.dimension_names import CANCELLED_NAMES, CANCELLED_VALUES, DURATION
from budget_model.records.facts import Flag, Outcome

_MUCH_LONGER = 10
_NS_PER_MS = 1_000_000
_GRPC_CANCELLED = "1"
_SKEW = int(Flag.CLOCK_SKEW)
_OUTLIVES = int(Flag.CHILD_OUTLIVES_PARENT)


def span_flags(order: list[Node]) -> int:
    """Flags of the spans themselves, before any correction of clocks."""
    flags = 0
    for node in order:
        span = node.span
        if not node.usable:
            flags |= Flag.UNFINISHED_SPAN if span.end_ns is None else Flag.NEGATIVE_DURATION
        parent = node.parent
        if node.is_async:
            flags |= Flag.ASYNC_WORK
        elif parent is not None and node.usable and parent.usable:
            if span.start_ns < parent.start and is_other_clock(node, parent):
                flags |= _SKEW
            if node.end > parent.end:
                flags |= _OUTLIVES
        if node.fields is not None:
            flags |= _field_flags(node)
    return int(flags)


def is_other_clock(node: Node, parent: Node) -> bool:
    """Whether the two may be timed by different clocks: another host or service, or none named."""
    mine, other = node.span, parent.span
    return not mine.host or mine.host != other.host or mine.service != other.service


def _field_flags(node: Node) -> int:
    fields = node.fields or {}
    flags = int(Flag.TEXT_CUT) if "text_cut" in fields else 0
    for name in fields:
        if name.startswith("d:"):
            claimed = (number(fields, name) or 0) * DURATION[name[2:]]
            length = node.end - node.start
            if claimed >= _MUCH_LONGER * length and claimed >= length + _NS_PER_MS:
                flags |= Flag.DURATION_IN_ATTRIBUTE
    return flags


def outcome_of(root: Node, output_tokens: int | None) -> Outcome:
    """How the request ended, by its root span.

    Without a usable end: incomplete. Cancelled when the status message or an attribute says that
    the caller gave up. ERROR: failed. Finished with a recorded output of 0 tokens: empty.
    """
    if not root.usable:
        return Outcome.INCOMPLETE
    if _is_cancelled(root):
        return Outcome.CANCELLED
    if root.span.status == "ERROR":
        return Outcome.FAILED
    return Outcome.EMPTY if output_tokens == 0 else Outcome.OK


def _is_cancelled(root: Node) -> bool:
    span = root.span
    if span.status_message and span.status_message.strip().casefold() in CANCELLED_VALUES:
        return True
    attributes = span.attributes
    for name in CANCELLED_NAMES:
        value = attributes.get(name)
        if value is None:
            continue
        text = str(value).casefold()
        if name == "rpc.grpc.status_code":
            if text == _GRPC_CANCELLED:
                return True
        elif text in CANCELLED_VALUES or text == "true":
            return True
    return False
