"""Attribute names to the fields they fill: one look-up an attribute, for every span once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from budget_model.normalise.cells import LONGEST_DURATION_NS, MOST_TOKENS
from budget_model.normalise.vocabulary import dimension_names as names
from budget_model.normalise.vocabulary import engines, gen_ai
from budget_model.records.raw import SET_PREFIX, TEXT_CUT
from budget_model.records.spans import Attributes, SpanEvent

Found = dict[str, tuple[int, Any]]
"""Field to the rank of the name it came from (lower is believed more) and its raw value."""

FieldTable = dict[str, tuple[str, int]]
"""Attribute name to the field it fills and its rank among that field's names."""

_SECONDS: dict[str, tuple[str, ...]] = {
    "queue_s": engines.QUEUE_SECONDS,
    "prefill_s": engines.PREFILL_SECONDS,
    "decode_s": engines.DECODE_SECONDS,
    "first_token_s": gen_ai.FIRST_TOKEN_SECONDS,
    "first_token_ms": gen_ai.FIRST_TOKEN_MS,
    "attempt": names.ATTEMPT,
    "token_usage": names.TOKEN_USAGE,
    "linked_prompts": names.LINKED_PROMPTS,
    "text_cut": (TEXT_CUT,),
}
_GIVEN_RANK = -1
_USAGE_RANK = 1_000  # a count with a name of its own is believed over the JSON object


def field_table(own: Mapping[str, Iterable[str]]) -> FieldTable:
    """The table with a user's own attribute names (``own``, by dimension) before the built-in ones."""
    table: FieldTable = {}
    groups = {**names.DIMENSIONS, **names.TOKENS, **_SECONDS, **{f"d:{n}": (n,) for n in names.DURATION}}
    for field, built_in in groups.items():
        for rank, name in enumerate([*own.get(field, ()), *built_in]):
            table.setdefault(name, (field, rank))
    for field in names.DIMENSIONS:
        table[SET_PREFIX + field] = (field, _GIVEN_RANK)
    return table


def read_fields(attributes: Attributes, table: FieldTable) -> Found | None:
    """What the attributes say, by field; None when nothing of interest is there."""
    hits = attributes.keys() & table.keys()
    if not hits:
        return None
    found: Found = {}
    for name in hits:
        field, rank = table[name]
        value = attributes[name]
        if value is not None and value != "" and (field not in found or rank < found[field][0]):
            found[field] = (rank, value)
    if "token_usage" in found or "linked_prompts" in found:
        _unpack(found)
    return found


def read_usage_events(events: Iterable[SpanEvent], table: FieldTable, found: Found | None) -> Found | None:
    """``found`` with token counts that only events carry; None when there is nothing at all."""
    for event in events:
        if event.name in names.USAGE_EVENTS:
            usage = read_fields(event.attributes, table) or {}
            counts = {field: usage[field] for field in names.TOKENS if field in usage}
            found = {**counts, **(found or {})} or None
    return found


def number(found: Found | None, field: str) -> float | None:
    """The field as a number from 0 to a year's nanoseconds; None when absent or something else."""
    if found is None or field not in found:
        return None
    value = found[field][1]
    if type(value) is int:
        return value if 0 <= value <= LONGEST_DURATION_NS else None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value <= LONGEST_DURATION_NS else None


def count(found: Found | None, field: str) -> int | None:
    """The field as a whole number of at least 0, at most ``MOST_TOKENS``; None when something else."""
    value = number(found, field)
    return None if value is None or value > MOST_TOKENS else int(value)


def label(value: Any) -> str:
    """A dimension's value as text: numbers and booleans as JSON writes them."""
    if isinstance(value, str):
        return value.strip()
    return msgspec.json.encode(value).decode()


def _unpack(found: Found) -> None:
    usage = _decoded(found.get("token_usage"))
    if isinstance(usage, dict):
        for field, name in (("prompt_tokens", "input_tokens"), ("output_tokens", "output_tokens")):
            if field not in found and isinstance(usage.get(name), int):
                found[field] = (_USAGE_RANK, usage[name])
    prompts = _decoded(found.get("linked_prompts"))
    first = prompts[0] if isinstance(prompts, list) and prompts else None
    if isinstance(first, dict):
        for field, name in (("prompt_name", "name"), ("prompt_version", "version")):
            if field not in found and first.get(name):
                found[field] = (_USAGE_RANK, first[name])


def _decoded(entry: tuple[int, Any] | None) -> Any:
    """Values that are JSON text decoded; text that is no JSON is nothing."""
    if entry is None or not isinstance(entry[1], str):
        return entry and entry[1]
    try:
        return msgspec.json.decode(entry[1])
    except msgspec.DecodeError:
        return None
