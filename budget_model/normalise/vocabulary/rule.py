"""One line of a vocabulary: which spans it is about and what they are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property
from typing import Any

from budget_model.domain.hops import Hop
from budget_model.records.spans import Span

ANY = "*"
"""A wanted value that every value meets."""

USER = "your rules"
"""The ``origin`` of rules that users wrote."""


@dataclass(frozen=True)
class Rule:
    """Spans that match everything given here get ``hop``.

    ``name`` is a span name, letter case ignored; with ``*`` or ``?`` in it, a pattern for the whole
    name. ``names`` are plain names matched with case, spaces, ``-``, ``_``, ``/`` and ``.`` ignored.
    ``attributes`` are pairs of a name (of the span or its resource) and the value it must equal as
    text, letter case ignored; ``*`` is any value. ``llm_call`` marks one call of a model, whose time
    is split at the first token instead of going to one hop. Without hop and without ``llm_call``
    the rule leaves a span to the hop of its parent.
    """

    hop: Hop | None
    name: str = ""
    names: frozenset[str] = frozenset()
    service: str = ""
    kind: str = ""
    attributes: tuple[tuple[str, str], ...] = ()
    llm_call: bool = False
    origin: str = USER

    def matches(self, span: Span) -> bool:
        """Whether every condition holds; a rule without conditions matches nothing."""
        if self.service and self.service.casefold() != span.service.casefold():
            return False
        if self.kind and self.kind != span.kind:
            return False
        if self.name and not self._pattern.fullmatch(span.name):
            return False
        if self.names and plain_name(span.name) not in self.names:
            return False
        return all(_equals(span, name, wanted) for name, wanted in self.attributes)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        is_glob = any(sign in self.name for sign in "*?")
        return re.compile(translate(self.name) if is_glob else re.escape(self.name), re.IGNORECASE)

    @property
    def text(self) -> str:
        """The rule in words, for the page that explains a span."""
        parts = [f"name {self.name!r}"] if self.name else []
        parts += ["known span name"] if self.names else []
        parts += [f"service {self.service!r}"] if self.service else []
        parts += [f"kind {self.kind}"] if self.kind else []
        parts += [f"{name} = {wanted}" for name, wanted in self.attributes]
        return f"{self.origin}: {', '.join(parts)}"


def plain_name(name: str) -> str:
    """A span name without letter case and separators: ``Vector.Search`` is ``vectorsearch``."""
    return re.sub(r"[\s._/:-]+", "", name).casefold()


def names(*given: str) -> frozenset[str]:
    """Names for a ``Rule``, in any spelling."""
    return frozenset(plain_name(name) for name in given)


def _equals(span: Span, name: str, wanted: str) -> bool:
    value: Any = span.attributes.get(name)
    if value is None:
        value = span.resource.get(name)
    if value is None:
        return False
    return wanted == ANY or str(value).strip('"').casefold() == wanted.casefold()
