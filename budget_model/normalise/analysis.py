"""Everything found out about one request of a trace, before it is written down as a fact or a view."""

from __future__ import annotations

from dataclasses import dataclass, field

from budget_model.domain.intervals import Interval
from budget_model.normalise.calls import is_unsplit, split_calls
from budget_model.normalise.dimensions import NO_TOKENS, TokenCounts, token_counts
from budget_model.normalise.hop_times import HopSegment, path_segments, wall_intervals
from budget_model.normalise.marks import outcome_of, span_flags
from budget_model.normalise.retries import mark_attempts
from budget_model.normalise.rules import Rules
from budget_model.normalise.settle import settle
from budget_model.normalise.skew import correct_clocks
from budget_model.normalise.tree import Call, Node
from budget_model.records.facts import Flag, Outcome


@dataclass(slots=True)
class Analysis:
    """One root with all beneath it. ``order`` holds its nodes, parents first, virtual ones last.

    ``segments`` divide the root's duration over hops and nodes (empty without a usable duration);
    ``walls`` are the intervals of each hop's spans, by hop index. ``records`` counts real spans.
    """

    root: Node
    order: list[Node]
    records: int
    errors: int
    flags: int
    outcome: Outcome
    attempts: int = 1
    tokens: TokenCounts = NO_TOKENS
    calls: list[Call] = field(default_factory=list)
    loose: list[Node] = field(default_factory=list)
    segments: list[HopSegment] = field(default_factory=list)
    walls: dict[int, list[Interval]] = field(default_factory=dict)

    @property
    def corrected(self) -> bool:
        """Whether clocks were corrected, and anything moved."""
        return bool(self.flags & Flag.SKEW_CORRECTED)


def analyse(root: Node, rules: Rules, *, correct_skew: bool) -> Analysis:
    """Decide, mark and divide one tree. Clocks are corrected only with ``correct_skew``."""
    order = settle(root, rules)
    records = len(order)
    flags = span_flags(order)
    if correct_skew and correct_clocks(root):
        flags |= Flag.SKEW_CORRECTED
        order = settle(root, rules)
    errors = sum([node.span.status == "ERROR" for node in order])
    attempts = 1
    if errors:
        attempts = mark_attempts(order)
        if root.span.status != "ERROR":
            flags |= Flag.ERROR_BELOW_OK_ROOT
    calls, loose = split_calls(order)
    if any(is_unsplit(call) for call in calls):
        flags |= Flag.LLM_CALL_NOT_SPLIT
    tokens = token_counts(order)
    return Analysis(
        root=root,
        order=order,
        records=records,
        errors=errors,
        flags=int(flags),
        outcome=outcome_of(root, tokens.output),
        attempts=attempts,
        tokens=tokens,
        calls=calls,
        loose=loose,
        segments=path_segments(root) if root.usable else [],
        walls=wall_intervals(order),
    )
