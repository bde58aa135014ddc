"""OTLP attribute values as plain JSON values."""

from __future__ import annotations

from math import isfinite
from sys import intern
from typing import Any

import msgspec

from budget_model.normalise.otlp_spelling import wire_value
from budget_model.normalise.texts import MAX_DEPTH, cut_text, cut_value
from budget_model.records.otlp_wire import RAW_NULL, WirePair, WireValue
from budget_model.records.raw import TEXT_CUT
from budget_model.records.rejects import BadRecordError
from budget_model.records.spans import Attributes


def attributes_of(pairs: list[WirePair], limit: int) -> Attributes:
    """Names to values; a later value of the same name wins.

    Texts longer than ``limit`` characters are cut and their names listed under ``TEXT_CUT``.
    Raises BadRecordError when a value is not spelled as OTLP specifies.
    """
    found: Attributes = {}
    cut: list[str] = []
    for pair in pairs:
        value = pair.value
        text = value.string_value
        if text is not None:
            if len(text) > limit:
                text = cut_text(text, limit)
                cut.append(pair.key)
            found[intern(pair.key)] = text
        elif value.int_value is not None:
            found[intern(pair.key)] = value.int_value
        elif value.double_value is not None:
            found[pair.key] = _finite(value.double_value)
        elif value.bool_value is not None:
            found[intern(pair.key)] = value.bool_value
        else:
            found[pair.key], was_cut = cut_value(_rare(value), limit)
            if was_cut:
                cut.append(pair.key)
    if cut:
        found[TEXT_CUT] = cut
    return found


def _finite(value: float) -> float | str:
    """JSON has no NaN and no infinity, so these are kept as text."""
    return value if isfinite(value) else str(value)


def _rare(value: WireValue, depth: int = 0) -> Any:
    """Lists, objects and bytes (kept as base64 text); an empty AnyValue is None."""
    if value.bytes_value is not None or value.array_value == RAW_NULL:
        return value.bytes_value
    if not value.array_value and not value.kvlist_value:
        raise BadRecordError(value, "an attribute value spelled in another way")
    if depth >= MAX_DEPTH:
        return bytes(value.array_value or value.kvlist_value).decode()
    if value.array_value:
        return [_any(wire_value(entry), depth + 1) for entry in _entries(value.array_value)]
    pairs = [pair for pair in _entries(value.kvlist_value) if isinstance(pair, dict)]
    return {str(pair.get("key")): _any(wire_value(pair.get("value")), depth + 1) for pair in pairs}


def _entries(nested: msgspec.Raw) -> list[Any]:
    found = msgspec.json.decode(nested)
    entries = found.get("values") if isinstance(found, dict) else None
    return entries if isinstance(entries, list) else []


def _any(value: WireValue, depth: int) -> Any:
    if value.string_value is not None:
        return value.string_value
    if value.int_value is not None:
        return value.int_value
    if value.double_value is not None:
        return _finite(value.double_value)
    return value.bool_value if value.bool_value is not None else _rare(value, depth)
