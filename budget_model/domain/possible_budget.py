"""Whether a budget that comes from elsewhere could have been saved here: what each field accepts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from budget_model.domain.budget import Budget, BudgetContent, BudgetState, Evidence, SegmentValues, Step
from budget_model.domain.budget_steps import step_refusal
from budget_model.domain.possible_lines import line_faults
from budget_model.domain.possible_numbers import MOST, outside
from budget_model.domain.strategies import Strategy
from budget_model.domain.token_limits import TokenRow

CLOCKS_APART_US = 3_600_000_000
"""How far the clock of the machine that wrote a budget may be ahead of ours."""


def first_fault(budget: Budget, now_us: int, dimensions: Collection[str]) -> str | None:
    """The first field that no saved budget could have, with what is accepted there; None when all is well.

    ``dimensions`` are the names a segment may use; ``now_us`` is the present, UTC microseconds.
    """
    return next(_faults(budget, now_us, dimensions), None)


def _faults(budget: Budget, now_us: int, dimensions: Collection[str]) -> Iterator[str]:
    content = budget.content
    if not budget.name.strip():
        yield "name: it is blank; a name is accepted"
    yield from outside("version", budget.version, 1)
    yield from _question_faults(content)
    yield from _segment_faults(content.segment, dimensions)
    yield from line_faults(content)
    for index, row in enumerate(content.tokens):
        yield from _token_faults(f"content.tokens[{index}]", row)
    yield from _evidence_faults(content.evidence, now_us)
    yield from _step_faults(budget.steps, now_us)


def _question_faults(content: BudgetContent) -> Iterator[str]:
    yield from outside("content.target_us", content.target_us, 1)
    if not 0 < content.q < 1:
        yield f"content.q: {content.q:g} is no share of requests; above 0 and below 1 is accepted"
    if not 0 <= content.headroom < 1:
        yield f"content.headroom: {content.headroom:g} leaves nothing; 0 or more and below 1 is accepted"
    if content.strategy not in tuple(Strategy):
        yield f"content.strategy: {content.strategy!r} is none; {', '.join(Strategy)} are accepted"
    yield from outside("content.prefill_scale", content.prefill_scale)


def _segment_faults(segment: SegmentValues, dimensions: Collection[str]) -> Iterator[str]:
    seen: set[str] = set()
    for index, (name, values) in enumerate(segment):
        if name not in dimensions:
            yield f"content.segment[{index}]: {name!r} is no dimension; {', '.join(dimensions)} are accepted"
        if name in seen:
            yield f"content.segment[{index}]: {name} is there twice; each dimension once is accepted"
        if not values:
            yield f"content.segment[{index}]: {name} has no value; one or more are accepted"
        seen.add(name)


def _token_faults(field: str, row: TokenRow) -> Iterator[str]:
    for name in ("max_prompt_tokens", "prompt_n", "max_output_tokens", "tpot_ms", "output_n"):
        yield from outside(f"{field}.{name}", getattr(row, name))


def _evidence_faults(seen: Evidence, now_us: int) -> Iterator[str]:
    field = "content.evidence"
    yield from outside(f"{field}.n", seen.n, 2)
    yield from outside(f"{field}.failed", seen.failed)
    yield from outside(f"{field}.observed_us", seen.observed_us)
    yield from outside(f"{field}.since_us", seen.since_us, -MOST)
    yield from outside(f"{field}.until_us", seen.until_us, -MOST)
    if (seen.since_us is None) != (seen.until_us is None):
        yield f"{field}.since_us: one of since_us and until_us is missing; both or neither are accepted"
    if seen.since_us is not None and seen.until_us is not None and seen.since_us >= seen.until_us:
        yield f"{field}.since_us: it is not before until_us; an earlier moment is accepted"
    yield from _moment_faults(f"{field}.derived_us", seen.derived_us, now_us)


def _step_faults(steps: Sequence[Step], now_us: int) -> Iterator[str]:
    if not steps:
        yield "steps: there is none, so it has no state; the steps from draft on are accepted"
    for index, step in enumerate(steps):
        yield from _moment_faults(f"steps[{index}].at_us", step.at_us, now_us)
        if not step.who.strip():
            yield f"steps[{index}].who: it is blank; the name of who did it is accepted"
        if index == 0 and step.state is not BudgetState.DRAFT:
            yield f"steps[0].state: a version does not begin as {step.state}; {BudgetState.DRAFT} is accepted"
        refusal = step_refusal(steps[:index], step.state, step.who) if index else None
        if refusal is not None:
            yield f"steps[{index}].state: {step.state} is not accepted there, as the version {refusal}"


def _moment_faults(field: str, at_us: int, now_us: int) -> Iterator[str]:
    yield from outside(field, at_us)
    if at_us > now_us + CLOCKS_APART_US:
        yield f"{field}: {at_us} is in the future; a moment up to now, {now_us}, is accepted"
