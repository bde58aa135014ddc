from __future__ import annotations

import html
import re

import pytest
from markdown_it import MarkdownIt

from budget_model.views import text

HOSTILE = [
    "<script>alert(1)</script>",
    "**bold**",
    "[x](javascript:1)",
    "`code`",
    "# head",
    "http://a.example",
    "~~s~~",
]


@pytest.mark.parametrize("label", HOSTILE)
def test_markdown_shows_a_label_as_it_is(label: str) -> None:
    rendered = MarkdownIt("commonmark").render(text.markdown(label))
    shown = html.unescape(re.sub(r"^<p>|</p>\n$", "", rendered)).replace(text.WORD_JOINER, "")
    assert shown == label


@pytest.mark.parametrize("label", [":smile:", ":red[x]", ":material/home:", "www.a.example", "a@b.example"])
def test_what_the_page_would_turn_into_something_is_broken_up(label: str) -> None:
    assert text.WORD_JOINER in text.markdown(label)


@pytest.mark.parametrize("label", HOSTILE)
def test_html_and_charts_carry_no_tag_from_a_label(label: str) -> None:
    assert "<" not in text.markup(label)
    assert "<" not in text.chart(label)
    assert html.unescape(text.markup(label)) == label


def test_an_attribute_cannot_be_left() -> None:
    assert '"' not in text.markup('" onmouseover="x')


def test_right_to_left_text_is_kept_to_itself() -> None:
    shown = text.markup("שלום")
    assert shown.startswith(text.FIRST_STRONG_ISOLATE)
    assert shown.endswith(text.POP_ISOLATE)


def test_an_override_of_the_writing_direction_is_taken_out() -> None:
    assert "\u202e" not in text.plain("abc\u202edef")


def test_long_labels_are_cut_and_missing_ones_named() -> None:
    assert text.plain("x" * 100, 10) == "x" * 9 + "…"
    assert text.plain(None) == "not recorded"
    assert text.plain("  ") == "(blank)"


def test_of_a_long_file_name_both_ends_are_kept() -> None:
    assert text.middle("traces-of-the-east-2026-11-30.jsonl", 21) == "traces-of-…1-30.jsonl"
    assert text.middle("short.csv", 21) == "short.csv"
