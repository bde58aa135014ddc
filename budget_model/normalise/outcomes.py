"""How a request of a table ended, from whichever of outcome, success, error and status it has."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from budget_model.normalise.cells import text_of
from budget_model.records.facts import Outcome
from budget_model.records.rejects import BadRecordError

WORDS: dict[str, Outcome] = {outcome.value: outcome for outcome in Outcome} | {
    **dict.fromkeys(
        (
            "success",
            "succeeded",
            "successful",
            "completed",
            "complete",
            "finished",
            "done",
            "true",
            "stop",
            "length",
        ),
        Outcome.OK,
    ),
    **dict.fromkeys(
        ("error", "errored", "failure", "fail", "false", "timeout", "timed_out", "rejected", "rate_limited"),
        Outcome.FAILED,
    ),
    **dict.fromkeys(("canceled", "aborted", "abort"), Outcome.CANCELLED),
    **dict.fromkeys(("in_progress", "running", "unfinished", "pending"), Outcome.INCOMPLETE),
}
"""Words for an outcome, in lower case."""

_NO_ERROR = frozenset({"", "0", "false", "none", "null", "nan", "ok"})
_CLIENT_CLOSED = 499  # nginx's code for a client that went away


def outcome_of(values: Mapping[str, Any], output_tokens: int | None) -> Outcome:
    """The outcome; ``values`` by meaning. A success without an output token is ``empty``.

    An ``error`` that is set makes a failure of everything. Raises BadRecordError for an unknown word.
    """
    stated = [_of_word(values[name]) for name in ("outcome", "status", "success") if name in values]
    found = next((outcome for outcome in stated if outcome is not None), Outcome.OK)
    if found in (Outcome.OK, Outcome.EMPTY) and _is_error(values.get("error")):
        return Outcome.FAILED
    return Outcome.EMPTY if found is Outcome.OK and output_tokens == 0 else found


def _is_error(value: Any) -> bool:
    return (text_of(value) or "").strip().lower() not in _NO_ERROR


def _of_word(value: Any) -> Outcome | None:
    word = (text_of(value) or "").strip().lower().replace(" ", "_").replace("-", "_")
    if not word:
        return None
    if word in WORDS:
        return WORDS[word]
    if not isinstance(value, Decimal | float | int | str) or not word.removesuffix(".0").isdecimal():
        raise BadRecordError(value, f"an outcome must be an HTTP status code or one of {', '.join(WORDS)}")
    code = int(word.removesuffix(".0"))
    if code == _CLIENT_CLOSED:
        return Outcome.CANCELLED
    return Outcome.OK if code == 0 or 100 <= code < 400 else Outcome.FAILED
