"""Text in attributes is kept up to a length; a prompt of a megabyte must not make a page slow."""

from __future__ import annotations

from typing import Any

import msgspec

MAX_DEPTH = 32
"""Attribute values nested deeper than this are kept as JSON text."""


def cut_text(text: str, limit: int) -> str:
    """``text`` itself, or its first ``limit`` characters and a note of the full length."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… [cut: {limit} of {len(text)} characters kept]"


def cut_value(value: Any, limit: int) -> tuple[Any, bool]:
    """``value`` with its texts cut, and whether anything was cut.

    A list or object whose JSON is longer than ``limit`` characters becomes that JSON as cut text.
    """
    if isinstance(value, str):
        return cut_text(value, limit), len(value) > limit
    if not isinstance(value, list | dict):
        return value, False
    text = msgspec.json.encode(value)
    if len(text) <= limit:
        return value, False
    return cut_text(text.decode(), limit), True
