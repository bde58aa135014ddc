from __future__ import annotations

from dataclasses import replace

import pytest

from budget_model.domain.budget import Assumptions
from budget_model.domain.staleness import DAY_US, stale_reasons
from tests.exports.budgets import budget

DERIVED_US = budget().content.evidence.derived_us
ASSUMED = Assumptions(("llama",), ("a100",), ("answer@3",), "abc")
CONTENT = replace(budget().content, assumptions=ASSUMED)


def reasons(present: Assumptions, days: float = 0) -> tuple[str, ...]:
    return stale_reasons(CONTENT, present, DERIVED_US + round(days * DAY_US), 30)


@pytest.mark.parametrize(
    ("present", "words"),
    [
        (replace(ASSUMED, models=("llama", "qwen")), "New model in its traffic: qwen."),
        (replace(ASSUMED, hardware=("h100",)), "New hardware in its traffic: h100."),
        (replace(ASSUMED, prompts=("answer@3", "answer@4")), "New prompt version in its traffic: answer@4."),
        (replace(ASSUMED, rules_fingerprint="def"), "hop mapping changed"),
    ],
)
def test_each_change_is_named(present: Assumptions, words: str) -> None:
    (reason,) = reasons(present)
    assert words in reason


def test_several_changes_are_all_named() -> None:
    assert len(reasons(Assumptions(("qwen",), ("h100",), ("answer@4",), "def"), days=31)) == 5


def test_a_budget_is_good_for_its_days_and_no_longer() -> None:
    assert reasons(ASSUMED, days=30.9) == ()
    (reason,) = reasons(ASSUMED, days=31)
    assert "31 days ago" in reason
    assert "30 days" in reason


def test_quiet_traffic_is_no_change() -> None:
    assert reasons(Assumptions((), (), (), "abc")) == ()


def test_a_budget_from_rows_does_not_depend_on_the_mapping_of_spans() -> None:
    rows = replace(CONTENT, assumptions=replace(ASSUMED, rules_fingerprint=""))
    assert stale_reasons(rows, replace(ASSUMED, rules_fingerprint="def"), DERIVED_US, 30) == ()
