"""Making sense of the beginning of a JSON value when the rest is not at hand."""

from __future__ import annotations

import re
from typing import Any

import msgspec

MAX_DEPTH = 200
"""Nesting beyond this is no trace export, and would exhaust the stack of a decoder."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+|"', re.DOTALL)
_CLOSER = {"{": "}", "[": "]"}


class TooDeepError(ValueError):
    """The value is nested deeper than ``MAX_DEPTH``."""


def decode_prefix(text: str) -> Any:
    """What is whole in the beginning of a JSON value: ``{"a": [1, 2, "thr`` gives ``{"a": [1, 2]}``.

    Raises ValueError when the text does not begin like JSON, TooDeepError when it nests too deeply.

    >>> decode_prefix('{"a": [1, 2, "thr')
    {'a': [1, 2]}
    """
    kept = _last_whole_place(text)
    if kept is None:
        raise ValueError("no JSON object or list")
    end, open_brackets = kept
    closed = text[:end] + "".join(_CLOSER[bracket] for bracket in reversed(open_brackets))
    try:
        return msgspec.json.decode(closed)
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from error


def _last_whole_place(text: str) -> tuple[int, str] | None:
    """The end of the last whole value, and the brackets open there; stops at the end of the first value."""
    stack, before, kept = "", "", None
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark == '"':  # a text that is not closed: nothing after it can be told apart
            break
        if mark in _CLOSER:
            stack += mark
            if len(stack) > MAX_DEPTH:
                raise TooDeepError(f"nested deeper than {MAX_DEPTH}")
        elif mark in ("}", "]"):
            stack = stack[:-1]
        if mark in ("{", "[", "}", "]") or (_is_value(mark, before, stack) and token.end() < len(text)):
            kept = token.end(), stack
        before = mark
        if not stack:
            break
    return kept


def _is_value(mark: str, before: str, stack: str) -> bool:
    return mark not in (",", ":") and (before == ":" or stack.endswith("["))
