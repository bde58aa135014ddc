"""The lines of a budget: whole microseconds that add to the target exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from budget_model.domain.budget_question import HOP_INDEX, Question, Sample
from budget_model.domain.hops import COMPUTE_HOPS, HOPS, Hop
from budget_model.domain.rounding import largest_remainder

HEADROOM = "headroom"


@dataclass(frozen=True, slots=True)
class Line:
    """One line: what a hop may take, or the headroom that is kept back."""

    name: str
    us: int
    printed_ms: int
    kind: str  # headroom, overhead, compute, retry or unattributed
    locked: bool = False


def line_kind(hop: Hop) -> str:
    """Which part of the subtraction a hop belongs to."""
    if hop in COMPUTE_HOPS:
        return "compute"
    return str(hop) if hop in (Hop.RETRY, Hop.UNATTRIBUTED) else "overhead"


def budget_lines(sample: Sample, question: Question, shares_us: Sequence[float]) -> tuple[Line, ...]:
    """Lines from unrounded shares, shape (10,) in ``HOPS`` order, each >= 0.

    Shares of hops without a lock are rounded by largest remainder to what the locks leave of the
    effective target; the printed whole milliseconds likewise to the printed target. Hops that no
    request recorded get no line. Shares may add to less than the effective target: the rest
    goes to the headroom line.
    """
    shown = [hop for hop in HOPS if hop in question.locks or sample.is_recorded(hop)]
    used = min(question.effective_us, round(sum(shares_us)))
    free = [hop for hop in shown if hop not in question.locks]
    rest = used - sum(question.locks.values())
    rounded = largest_remainder([shares_us[HOP_INDEX[hop]] for hop in free], rest) if free else []
    us = {**dict(zip(free, rounded, strict=True)), **question.locks}
    names = [HEADROOM, *map(str, shown)]
    values = [question.target_us - sum(us.values()), *(us[hop] for hop in shown)]
    printed = largest_remainder([value / 1000 for value in values], round(question.target_us / 1000))
    kinds = [HEADROOM, *map(line_kind, shown)]
    locked = [False, *(hop in question.locks for hop in shown)]
    return tuple(map(Line, names, values, printed, kinds, locked))
