from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget_model.domain.text_difference import CONTEXT_LINES, Change, Line, TextDifference, text_difference

TEXTS = st.lists(st.sampled_from(["be brief", "be kind", "", "answer in 3 lines.", "שלום", "\tx  y"])).map(
    "\n".join
)


def unified(found: TextDifference) -> list[str]:
    marks = {Change.SAME: " ", Change.REMOVED: "-", Change.ADDED: "+"}
    return [
        f"@{line.count}" if line.change is Change.LEFT_OUT else marks[line.change] + line.text
        for line in found.lines
    ]


def marked(line: Line) -> str:
    return "".join(f"[{part.text}]" if part.change is line.change else part.text for part in line.parts)


def test_within_a_changed_line_the_words_that_changed_are_marked() -> None:
    found = text_difference("Be brief.\nAnswer in one line.", "Be brief.\nAnswer in two short lines.")
    assert [marked(line) for line in found.lines if line.change is not Change.SAME] == [
        "Answer in [one line].",
        "Answer in [two short lines].",
    ]
    assert (found.words_removed, found.words_added) == (2, 3)


def test_the_same_text_has_no_difference() -> None:
    found = text_difference("a\nb\nc", "a\nb\nc")
    assert found.is_none
    assert (found.words_removed, found.words_added) == (0, 0)
    assert unified(found) == ["@3"]


def test_what_is_alike_and_far_from_a_change_is_left_out_and_counted() -> None:
    before = [f"line {number}" for number in range(20)]
    after = [*before[:10], "new", *before[10:]]
    assert unified(text_difference("\n".join(before), "\n".join(after))) == [
        *("@8", " line 8", " line 9", "+new", " line 10", " line 11", "@8"),
    ]


def test_an_empty_line_that_came_is_a_line() -> None:
    assert unified(text_difference("a\nb", "a\n\nb")) == [" a", "+", " b"]
    assert not text_difference("a\nb", "a\n\nb").is_none


def test_a_space_that_changed_is_a_change() -> None:
    assert unified(text_difference("a b", "a  b")) == ["-a b", "+a  b"]


@given(TEXTS, TEXTS)
def test_both_texts_can_be_put_together_from_the_difference(before: str, after: str) -> None:
    found = text_difference(before, after)
    shown = [line for line in found.lines if line.change is not Change.LEFT_OUT]
    out = sum(line.count for line in found.lines if line.change is Change.LEFT_OUT)
    for text, other in ((before, Change.ADDED), (after, Change.REMOVED)):
        mine = [line for line in shown if line.change is not other]
        assert len(mine) + out == len(text.split("\n"))
        if not out:
            assert "\n".join(line.text for line in mine) == text
    assert found.is_none == (before == after)


@given(TEXTS)
def test_a_line_left_out_is_further_from_a_change_than_the_context(text: str) -> None:
    found = text_difference(text, f"{text}\nmore")
    assert [line.change for line in found.lines[-1:]] == [Change.ADDED]
    assert len([line for line in found.lines if line.change is Change.SAME]) <= CONTEXT_LINES


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\n" * 50_000, "b\n" * 50_000),
        ("".join(f"{n % 900}\n" for n in range(20_000)), "".join(f"{n % 899}\n" for n in range(20_000))),
        (" ".join(map(str, range(17_000))), " ".join(map(str, range(17_000, 0, -1)))),
        ("ab" * 50_000, "ba" * 50_000),
    ],
)  # fmt: skip
def test_texts_made_to_be_hard_to_compare_take_no_longer_than_a_moment(before: str, after: str) -> None:
    began = time.process_time()
    assert not text_difference(before, after).is_none
    assert time.process_time() - began < 5
