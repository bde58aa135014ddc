"""The user's rules as TOML.

::

    [[hop]]                     # first rule that matches wins; all conditions of a rule must hold
    name = "rag.*"              # exact or with * and ?; letter case ignored
    service = "retriever"
    kind = "CLIENT"
    attributes = { "component" = "faiss" }   # "*" is any value
    hop = "retrieval"           # a hop, "llm call" (split at the first token) or "none" (as its parent)

    [dimensions]                # attribute names tried before the built-in ones
    tenant = ["acme.customer"]

    [runs]                      # names in MLflow runs tried before the built-in ones
    ttft_p99_ms = ["our.first_token.p99.s"]
"""

from __future__ import annotations

import tomllib
from typing import Any

import msgspec

from budget_model.domain.hops import MEASURED_HOPS, Hop
from budget_model.errors import MappingError
from budget_model.normalise.run_metrics import RUN_FIELDS, is_run_field
from budget_model.normalise.vocabulary.dimension_names import DIMENSIONS, TOKENS
from budget_model.normalise.vocabulary.rule import Rule
from budget_model.records.spans import KINDS

LLM_CALL = "llm call"
AS_PARENT = "none"
ACCEPTED_HOPS: tuple[str, ...] = (*(hop.value for hop in MEASURED_HOPS), LLM_CALL, AS_PARENT)
"""What ``hop`` may be in a rule."""

_DIMENSIONS = (*DIMENSIONS, *TOKENS)
_TEXT_KEYS = ("name", "service", "kind")
_KEYS = (*_TEXT_KEYS, "attributes", "hop")

Names = dict[str, tuple[str, ...]]
Own = tuple[tuple[Rule, ...], Names, Names]


def read_rule_file(text: str) -> Own:
    """Rules, attribute names by dimension and names in runs by field. Raises MappingError."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MappingError(f"the rules are not TOML: {error}") from None
    unknown = sorted(found.keys() - {"hop", "dimensions", "runs"})
    if unknown:
        raise MappingError(f"the rules have {unknown[0]!r}; [[hop]], [dimensions] and [runs] are accepted")
    entries = found.get("hop", [])
    if not isinstance(entries, list):
        raise MappingError("the rules have [hop]; write [[hop]], one for each rule")
    rules = tuple(make_rule(entry, f"hop rule {number}") for number, entry in enumerate(entries, 1))
    dimensions = _names(found.get("dimensions", {}), "dimensions", "attribute names")
    unknown = sorted(dimensions.keys() - set(_DIMENSIONS))
    if unknown:
        raise MappingError(f"[dimensions] has {unknown[0]!r}; {', '.join(_DIMENSIONS)} are accepted")
    return rules, dimensions, _run_names(found.get("runs", {}))


def make_rule(entry: Any, where: str = "the rule") -> Rule:
    """One rule from its keys. Raises MappingError naming ``where``, the value and what is accepted."""
    if not isinstance(entry, dict):
        raise MappingError(f"{where} is {entry!r}; a table of {', '.join(_KEYS)} is accepted")
    unknown = sorted(entry.keys() - set(_KEYS))
    if unknown:
        raise MappingError(f"{where} has {unknown[0]!r}; {', '.join(_KEYS)} are accepted")
    texts = {key: _text(entry.get(key, ""), f"{where}: {key}") for key in _TEXT_KEYS}
    if texts["kind"] and texts["kind"] not in KINDS:
        raise MappingError(f"{where}: kind is {texts['kind']!r}; {', '.join(KINDS)} are accepted")
    attributes = _attributes(entry.get("attributes", {}), where)
    if not attributes and not any(texts.values()):
        raise MappingError(f"{where} has no condition; give name, service, kind or attributes")
    hop = entry.get("hop")
    if hop not in ACCEPTED_HOPS:
        raise MappingError(f"{where}: hop is {hop!r}; {', '.join(ACCEPTED_HOPS)} are accepted")
    to_hop = None if hop in (LLM_CALL, AS_PARENT) else Hop(hop)
    return Rule(
        to_hop,
        name=texts["name"],
        service=texts["service"],
        kind=texts["kind"],
        attributes=attributes,
        llm_call=hop == LLM_CALL,
    )


def write_rule_file(rules: tuple[Rule, ...], dimensions: Names, runs: Names) -> str:
    """TOML text of the user's rules; reading it gives the same rules."""
    blocks = [_block(rule) for rule in rules]
    for table, named in (("dimensions", dimensions), ("runs", runs)):
        lines = [f"{_key(key)} = [{', '.join(map(_quoted, names))}]" for key, names in named.items()]
        blocks += ["\n".join([f"[{table}]", *lines, ""])] if lines else []
    return "\n".join(blocks)


def hop_text(rule: Rule) -> str:
    """What a rule's ``hop`` is in the file."""
    if rule.llm_call:
        return LLM_CALL
    return AS_PARENT if rule.hop is None else rule.hop.value


def _block(rule: Rule) -> str:
    lines = ["[[hop]]"]
    lines += [f"{key} = {_quoted(getattr(rule, key))}" for key in _TEXT_KEYS if getattr(rule, key)]
    if rule.attributes:
        pairs = ", ".join(f"{_quoted(name)} = {_quoted(value)}" for name, value in rule.attributes)
        lines.append(f"attributes = {{ {pairs} }}")
    return "\n".join([*lines, f"hop = {_quoted(hop_text(rule))}", ""])


def _key(name: str) -> str:
    """A bare key, or a quoted one: a field such as ttft_p99.9_ms has a sign that a bare key may not have."""
    return name if name.replace("_", "").isalnum() and name.isascii() else _quoted(name)


def _quoted(text: str) -> str:
    """A TOML basic string; JSON's escapes are valid in TOML, save that DEL must be escaped too."""
    return msgspec.json.encode(text).decode().replace("\x7f", "\\u007f")


def _attributes(found: Any, where: str) -> tuple[tuple[str, str], ...]:
    if not isinstance(found, dict):
        raise MappingError(f"{where}: attributes is {found!r}; a table of names and values is accepted")
    return tuple((name, _value(value, f"{where}: attribute {name}")) for name, value in found.items())


def _value(found: Any, what: str) -> str:
    if not isinstance(found, str | int | float):
        raise MappingError(f"{what} is {found!r}; text or a number is accepted")
    return str(found)


def _text(found: Any, what: str) -> str:
    if not isinstance(found, str):
        raise MappingError(f"{what} is {found!r}; text is accepted")
    return found


def _run_names(found: Any) -> Names:
    names = _names(found, "runs", "names of params, tags or metrics")
    unknown = next((field for field in names if not is_run_field(field)), None)
    if unknown is not None:
        raise MappingError(f"[runs] has {unknown!r}; {RUN_FIELDS} are accepted")
    return names


def _names(found: Any, table: str, of_what: str) -> Names:
    if not isinstance(found, dict):
        raise MappingError(f"[{table}] is {found!r}; a table of lists of {of_what} is accepted")
    for key, value in found.items():
        if not isinstance(value, list) or not all(isinstance(name, str) and name for name in value):
            raise MappingError(f"[{table}] {key} is {value!r}; a list of {of_what} is accepted")
    return {key: tuple(value) for key, value in found.items() if value}
