from __future__ import annotations

from typing import Any

import pytest

from budget_model.normalise.outcomes import outcome_of
from budget_model.records.rejects import BadRecordError


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        ({}, "ok"),
        ({"status": "OK"}, "ok"),
        ({"status": "200"}, "ok"),
        ({"status": 200.0}, "ok"),
        ({"status": 429}, "failed"),
        ({"status": "503"}, "failed"),
        ({"status": 499}, "cancelled"),
        ({"status": "Timed out"}, "failed"),
        ({"success": True}, "ok"),
        ({"success": "False"}, "failed"),
        ({"error": "rate limit"}, "failed"),
        ({"error": "", "status": "ok"}, "ok"),
        ({"error": None}, "ok"),
        ({"error": "none"}, "ok"),
        ({"status": "ok", "error": "boom"}, "failed"),
        ({"outcome": "canceled"}, "cancelled"),
        ({"outcome": "incomplete"}, "incomplete"),
        ({"outcome": "", "status": "error"}, "failed"),
    ],
)
def test_an_outcome_is_read_from_what_is_there(values: dict[str, Any], outcome: str) -> None:
    assert outcome_of(values, None) == outcome


def test_a_success_without_a_token_is_empty_and_a_failure_stays_one() -> None:
    assert outcome_of({"status": "ok"}, 0) == "empty"
    assert outcome_of({"status": "error"}, 0) == "failed"


@pytest.mark.parametrize("value", ["splendid", -1, "2e2", [1]])
def test_an_unknown_word_is_not_guessed(value: object) -> None:
    with pytest.raises(BadRecordError, match="HTTP status code or one of"):
        outcome_of({"status": value}, None)
