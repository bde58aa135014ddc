"""Segments and token counts of a request, from whichever span carries them.

A dimension given with ``--set`` wins. Then the root's own attributes are asked, then its resource,
then the other spans in order of start with theirs; within one of these, names are believed in the
order of ``vocabulary.dimension_names`` (the user's own before the built-in). Failed attempts that
were repeated are not asked, so that the model is the one that answered.
"""

from __future__ import annotations

from typing import NamedTuple

from budget_model.normalise.fields import Found, count, label
from budget_model.normalise.rules import Rules
from budget_model.normalise.tree import Call, Node
from budget_model.normalise.vocabulary.dimension_names import DIMENSIONS
from budget_model.records.spans import Attributes


def dimensions_of(order: list[Node], rules: Rules) -> dict[str, str]:
    """Dimension to value for one request's nodes, the root first; unknown ones are absent."""
    found: dict[str, str] = {}
    given: dict[str, str] = {}
    asked: Attributes | None = None
    for node in order:
        if node.superseded:
            continue
        if node.fields is not None:
            _take(node.fields, found, given)
        resource = node.span.resource
        if resource and resource is not asked:
            asked = resource
            fields = rules.of_resource(resource)[1]
            if fields is not None:
                _take(fields, found, given)
    if given:
        found.update(given)
    return found


def _take(fields: Found, found: dict[str, str], given: dict[str, str]) -> None:
    for name, (rank, value) in fields.items():
        if name in DIMENSIONS:
            if rank < 0:
                given.setdefault(name, label(value))
            elif name not in found:
                found[name] = label(value)


class TokenCounts(NamedTuple):
    """Tokens of one request; None when no span records them."""

    prompt: int | None
    output: int | None


NO_TOKENS = TokenCounts(None, None)


def token_counts(order: list[Node]) -> TokenCounts:
    """Token counts added over the outermost spans that carry them.

    A parent and its child often carry the same count: then the parent's alone is taken. Failed
    attempts and work nobody waited for are left out. Sets ``tokens`` of outermost calls.
    """
    prompt = output = None
    for node in order:
        fields = node.fields
        if fields is None or node.superseded or node.is_async:
            continue
        if "prompt_tokens" in fields and not _carried(node, "prompt_tokens"):
            prompt = _plus(prompt, count(fields, "prompt_tokens"))
        if "output_tokens" in fields and not _carried(node, "output_tokens"):
            tokens = count(fields, "output_tokens")
            output = _plus(output, tokens)
            if node.call is not None:
                outermost = _outermost(node.call)
                outermost.tokens = _plus(outermost.tokens, tokens)
    return TokenCounts(prompt, output)


def _carried(node: Node, field: str) -> bool:
    above = node.parent
    while above is not None:
        if above.fields is not None and field in above.fields:
            return True
        above = above.parent
    return False


def _outermost(call: Call) -> Call:
    while call.outer is not None:
        call = call.outer
    return call


def _plus(total: int | None, more: int | None) -> int | None:
    if more is None:
        return total
    return more if total is None else total + more
