from __future__ import annotations

import pytest

from budget_model.domain.names import LONGEST_NAME, check_name
from budget_model.errors import BudgetError


@pytest.mark.parametrize(
    "name", ["a\nb", "a\rb", "\x1b[31mred", "a\x00", "a\x7f", "a\u2028b", "a\u202eb", "\ud800", "\tx"]
)
def test_what_does_not_show_in_one_line_is_no_name_and_the_refusal_is_one_line(name: str) -> None:
    with pytest.raises(BudgetError, match="one line of text is accepted") as refused:
        check_name("a budget's name", name)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    "name", ["chat-p99", "Müller & Söhne 🙂", "می\u200cخواهم", "x'; -- %s \\", "漢\u3000字"]
)
def test_names_of_any_script_are_accepted(name: str) -> None:
    assert check_name("a budget's name", name) == name


def test_a_name_longer_than_its_column_is_refused() -> None:
    assert check_name("a person's name", "n" * LONGEST_NAME)
    with pytest.raises(BudgetError, match="201 characters is too long"):
        check_name("a person's name", "n" * (LONGEST_NAME + 1))
