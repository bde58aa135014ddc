"""Whether lines and own limits are such as the allocator makes: complete, known, and adding to the target."""

from __future__ import annotations

from collections.abc import Iterator

from budget_model.domain.budget import BudgetContent
from budget_model.domain.budget_lines import HEADROOM, Line, line_kind
from budget_model.domain.budget_question import Question
from budget_model.domain.hops import HOPS, Hop
from budget_model.domain.possible_numbers import outside

_FIELD = "content.lines"


def line_faults(content: BudgetContent) -> Iterator[str]:
    """What is wrong with the lines and own limits of a version, in sentences that begin with the field."""
    names = [line.name for line in content.lines]
    if HEADROOM not in names or len(names) < 2:
        yield f"{_FIELD}: {len(names)} lines are no budget; {HEADROOM} and one hop or more are accepted"
    for index, line in enumerate(content.lines):
        yield from _line_faults(f"{_FIELD}[{index}]", line)
        if line.name in names[:index]:
            yield f"{_FIELD}[{index}].name: {line.name} is there twice; each line once is accepted"
    yield from _sum_faults(content)
    yield from _own_limit_faults(content)


def _line_faults(field: str, line: Line) -> Iterator[str]:
    if line.name not in (HEADROOM, *HOPS):
        yield f"{field}.name: {line.name!r} is no hop; {HEADROOM}, {', '.join(HOPS)} are accepted"
        return
    kind = HEADROOM if line.name == HEADROOM else line_kind(Hop(line.name))
    if line.kind != kind:
        yield f"{field}.kind: {line.kind!r} is not that of {line.name}; {kind!r} is accepted"
    yield from outside(f"{field}.us", line.us)
    if abs(line.printed_ms * 1000 - line.us) > 1000:
        yield f"{field}.printed_ms: {line.printed_ms:,} is not {line.us:,} us; within 1 ms of it is accepted"


def _sum_faults(content: BudgetContent) -> Iterator[str]:
    total = sum(line.us for line in content.lines)
    if total != content.target_us:
        yield f"{_FIELD}: they add to {total:,} us; the {content.target_us:,} of target_us is accepted"
    printed, target_ms = sum(line.printed_ms for line in content.lines), round(content.target_us / 1000)
    if printed != target_ms:
        yield f"{_FIELD}: their printed_ms add to {printed:,}; {target_ms:,} is accepted"
    most = Question(content.target_us, content.q, content.headroom).effective_us
    if content.effective_us > most:
        yield f"{_FIELD}: the hops take {content.effective_us:,} us; up to {most:,} is what headroom leaves"


def _own_limit_faults(content: BudgetContent) -> Iterator[str]:
    limits, hops = content.guard_limits_us, [line.name for line in content.lines if line.name != HEADROOM]
    for name in sorted({*limits} ^ {*hops}):
        wrong = f"{name!r} has no line" if name in limits else f"{name} has none"
        yield f"content.guard_limits_us: {wrong}; one own limit for each line but {HEADROOM} is accepted"
    for name, limit in limits.items():
        yield from outside(f"content.guard_limits_us.{name}", limit)
