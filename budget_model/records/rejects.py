"""A record that could not be taken, and a thing worth saying about records that were."""

from __future__ import annotations

import msgspec

_EXCERPT_CHARS = 200


class Reject(msgspec.Struct, frozen=True):
    """One refused record: where it stands, the value that was refused, and what is accepted."""

    where: str
    value: str
    reason: str


class Warned(msgspec.Struct):
    """Something noticed on ``count`` accepted records, with the first example."""

    code: str
    count: int
    example: str


class BadRecordError(ValueError):
    """Raised inside a normaliser when a record cannot be taken; becomes a Reject where the place is known."""

    def __init__(self, value: object, reason: str) -> None:
        super().__init__(reason)
        self.value = excerpt(value)
        self.reason = reason

    def at(self, where: str) -> Reject:
        """The refusal with its place in the file."""
        return Reject(where, self.value, self.reason)


def why_not_json(error: Exception) -> str:
    """In words why decoding JSON failed: cut short, nested too deeply, or malformed at a byte."""
    if isinstance(error, RecursionError):
        return "the JSON is nested too deeply to be a trace export"
    if "truncated" in str(error):
        return "the JSON ends in the middle of a value, as half a file does"
    return f"not valid JSON for this format: {error}"


def excerpt(value: object) -> str:
    """``value`` as short text for a message: at most 200 characters, bytes shown as text."""
    text = bytes(value).decode("utf-8", "replace") if isinstance(value, bytes | msgspec.Raw) else str(value)
    return text if len(text) <= _EXCERPT_CHARS else text[: _EXCERPT_CHARS - 1] + "…"
