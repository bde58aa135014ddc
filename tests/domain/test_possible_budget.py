"""Every budget that can be saved is possible, and one edited by hand is told which field is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from budget_model.domain.allocation import SplitRule, allocate
from budget_model.domain.budget import Assumptions, Budget, BudgetContent, BudgetState, Evidence, Step
from budget_model.domain.budget_question import Question
from budget_model.domain.hops import Hop
from budget_model.domain.possible_budget import CLOCKS_APART_US, first_fault
from budget_model.domain.strategies import Strategy
from budget_model.domain.token_limits import TokenRow
from tests.domain.lattices import lattice

NOW_US = 1_796_083_200_000_000
DIMENSIONS = ("workload", "tenant")


def budget(question: Question | None = None, rule: SplitRule | None = None) -> Budget:
    asked = question or Question(5_000_000, 0.99, 0.1)
    answer = allocate(lattice("load"), asked, rule)
    assert answer.lines
    content = BudgetContent(
        segment=(("workload", ("chat", None)),),
        target_us=asked.target_us,
        q=asked.q,
        headroom=asked.headroom,
        strategy=str(rule.strategy if rule else Strategy.EULER),
        lines=answer.lines,
        guard_limits_us={str(hop): limit for hop, limit in answer.guard_limits_us.items()},
        tokens=(TokenRow("1k-4k", 2000, False, 900, None, None, 0),),
        evidence=Evidence(10_007, 3, NOW_US - 2, NOW_US - 1, 5_639_142, NOW_US),
        assumptions=Assumptions((), (), (), ""),
    )
    steps = (
        Step(BudgetState.DRAFT, "ann", NOW_US, ""),
        Step(BudgetState.PROPOSED, "ann", NOW_US, ""),
        Step(BudgetState.APPROVED, "bob", NOW_US, ""),
    )
    return Budget("chat", 1, content, steps)


@pytest.mark.parametrize("strategy", [one for one in Strategy if one is not Strategy.TOKEN_NEED])
@pytest.mark.parametrize("target_us", [12_000_000, 13_123_457, 19_999_500])
def test_what_the_allocator_gives_is_possible(strategy: Strategy, target_us: int) -> None:
    for question in (
        Question(target_us, 0.99, 0.1),
        Question(target_us, 0.95, 0.0),
        Question(target_us, 0.99, 0.0333, {Hop.RETRIEVAL: 400_123, Hop.CLIENT: 0}),
    ):
        assert first_fault(budget(question, SplitRule(strategy)), NOW_US, DIMENSIONS) is None


def test_a_clock_that_is_a_little_ahead_does_not_make_a_budget_impossible() -> None:
    assert first_fault(budget(), NOW_US - CLOCKS_APART_US, DIMENSIONS) is None


def put(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """Set what is at ``path``, such as ``lines.0.us``, of a budget's content."""

    def edit(content: dict[str, Any]) -> None:
        at: Any = content
        *before, last = [int(part) if part.isdecimal() else part for part in path.split(".")]
        for part in before:
            at = at[part]
        at[last] = value

    return edit


EDITS: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (put("target_us", 0), "content.target_us: 0 is not possible"),
    (put("target_us", 5_000_001), "content.lines: they add to 5,000,000 us; the 5,000,001 of target_us"),
    (put("q", 1.5), "content.q: 1.5 is no share"),
    (put("headroom", 1), "content.headroom: 1 leaves nothing"),
    (put("headroom", 0.3), "up to 3,500,000 is what headroom leaves"),
    (put("strategy", "guess"), "content.strategy: 'guess' is none"),
    (put("prefill_scale", -1.0), "content.prefill_scale: -1.0 is not possible"),
    (put("lines", []), "content.lines: 0 lines are no budget"),
    (lambda c: c["lines"].pop(0), r"content.lines: \d lines are no budget|content.lines: \d+ lines"),
    (lambda c: c["lines"].append(c["lines"][1]), r"content.lines\[\d+\].name: \w+ is there twice"),
    (put("lines.1.us", -5), r"content.lines\[1\].us: -5 is not possible"),
    (put("lines.1.us", 10**400), r"content.lines\[1\].us: 1"),
    (put("lines.1.name", "warp"), r"content.lines\[1\].name: 'warp' is no hop"),
    (put("lines.1.kind", "headroom"), r"content.lines\[1\].kind: 'headroom' is not that of"),
    (put("lines.0.printed_ms", 9), r"content.lines\[0\].printed_ms: 9 is not 500,000 us"),
    (put("guard_limits_us.warp", 1.0), "content.guard_limits_us: 'warp' has no line"),
    (lambda c: c["guard_limits_us"].pop("decode"), "content.guard_limits_us: decode has none"),
    (put("guard_limits_us.decode", -0.5), "content.guard_limits_us.decode: -0.5 is not possible"),
    (put("evidence.n", -1), "content.evidence.n: -1 is not possible"),
    (put("evidence.failed", -1), "content.evidence.failed: -1 is not possible"),
    (put("evidence.observed_us", -1), "content.evidence.observed_us: -1 is not possible"),
    (put("evidence.since_us", None), "both or neither are accepted"),
    (put("evidence.since_us", NOW_US), "it is not before until_us"),
    (put("evidence.derived_us", NOW_US + CLOCKS_APART_US + 1), "derived_us: 17960868.* is in the future"),
    (put("tokens.0.prompt_n", -1), r"content.tokens\[0\].prompt_n: -1 is not possible"),
    (put("segment", [["colour", ["red"]]]), r"content.segment\[0\]: 'colour' is no dimension"),
    (put("segment", [["tenant", ["a"]], ["tenant", ["b"]]]), r"content.segment\[1\]: tenant is there twice"),
    (put("segment", [["tenant", []]]), r"content.segment\[0\]: tenant has no value"),
]


@pytest.mark.parametrize(("edit", "words"), EDITS, ids=[str(number) for number in range(len(EDITS))])
def test_an_edited_field_is_named_with_what_is_accepted(
    edit: Callable[[dict[str, Any]], None], words: str
) -> None:
    plain = msgspec.json.decode(msgspec.json.encode(budget()))
    edit(plain["content"])
    fault = first_fault(msgspec.convert(plain, Budget), NOW_US, DIMENSIONS)
    assert fault is not None
    assert re.search(words, fault), fault


def steps(*told: tuple[str, str]) -> Callable[[dict[str, Any]], None]:
    def edit(plain: dict[str, Any]) -> None:
        plain["steps"] = [{"state": state, "who": who, "at_us": NOW_US, "why": ""} for state, who in told]

    return edit


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (steps(), "steps: there is none"),
        (steps(("approved", "bob")), r"steps\[0\].state: a version does not begin as approved"),
        (steps(("draft", "ann"), ("approved", "bob")), r"steps\[1\].state: .* is draft; it can become"),
        (steps(("draft", "ann"), ("proposed", "ann"), ("approved", "ann")), "somebody else must approve"),
        (steps(("draft", "ann"), ("retired", "ann"), ("approved", "bob")), "which is final"),
        (steps(("draft", " ")), r"steps\[0\].who: it is blank"),
        (lambda plain: plain["steps"][0].update(at_us=NOW_US * 2), r"steps\[0\].at_us: .* in the future"),
        (lambda plain: plain.update(name=" "), "name: it is blank"),
        (lambda plain: plain.update(version=0), "version: 0 is not possible"),
    ],
    ids=["none", "begins", "skips", "alone", "revived", "nobody", "future", "nameless", "zero"],
)
def test_a_version_that_was_not_approved_by_the_rules_is_not_taken_for_approved(
    edit: Callable[[dict[str, Any]], None], words: str
) -> None:
    plain = msgspec.json.decode(msgspec.json.encode(budget()))
    edit(plain)
    fault = first_fault(msgspec.convert(plain, Budget), NOW_US, DIMENSIONS)
    assert fault is not None
    assert re.search(words, fault), fault
