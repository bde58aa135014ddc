"""Parts of names that come from labels: taken by every server, and of one label only."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from budget_model.exports.mlflow_names import name_part
from tests.exports.budgets import HOSTILE


def test_a_plain_label_stays_as_it_is() -> None:
    assert [name_part(one) for one in ("chat", "chat-p95", "8b_chat")] == ["chat", "chat-p95", "8b_chat"]


@given(st.text(st.characters(codec=None), max_size=300))
@example("")
@example("../../etc")
@example("\ud800")
@example("İ" * 200)
@example("chat\n")
@example(HOSTILE)
def test_whatever_the_label_the_part_is_short_and_of_signs_that_no_server_refuses(label: str) -> None:
    assert re.fullmatch(r"[a-z0-9_-]{1,80}", name_part(label))


@given(st.lists(st.text("aA-_ /é0", max_size=6), unique=True, max_size=30))
@example(["Chat", "chat", "CHAT", "chat ", "chat/", "chat_"])
def test_no_two_labels_share_a_part(labels: list[str]) -> None:
    assert len({name_part(label) for label in labels}) == len(labels)


def test_a_label_that_looks_like_the_part_of_another_has_a_part_of_its_own() -> None:
    part = name_part("Chat p95")
    assert name_part(part) != part
