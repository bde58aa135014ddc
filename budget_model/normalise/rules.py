"""Which hop a span belongs to: the user's rules, then the built-in vocabularies; the first match wins."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace

from budget_model.domain.hops import HOPS, Hop
from budget_model.normalise.fields import FieldTable, field_table
from budget_model.normalise.rule_file import read_rule_file, write_rule_file
from budget_model.normalise.vocabulary import BUILT_IN
from budget_model.normalise.vocabulary.rule import Rule
from budget_model.records.spans import Span

_MEANING = "3"  # raised when built-in tables or the way times are attributed change what facts come out
_MOST_CACHED = 50_000
UNMAPPED = -1


@dataclass(frozen=True, slots=True)
class Decision:
    """What the rules say of a span. ``hop`` is an index into ``HOPS`` or ``UNMAPPED``."""

    hop: int
    llm_call: bool
    rule: str


_NOTHING = Decision(UNMAPPED, False, "")


@dataclass(frozen=True)
class Rules:
    """Hop rules and attribute names in force. Decisions are cached by what rules can see of a span.

    ``own`` are the user's rules in order, ``dimensions`` the user's attribute names by dimension.
    """

    own: tuple[Rule, ...] = ()
    dimensions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _cache: dict[tuple[object, ...], Decision] = field(init=False, repr=False, compare=False)
    _seen_names: frozenset[str] = field(init=False, repr=False, compare=False)
    table: FieldTable = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        seen = {name for rule in (*self.own, *BUILT_IN) for name, _ in rule.attributes}
        object.__setattr__(self, "_cache", {})
        object.__setattr__(self, "_seen_names", frozenset(seen))
        object.__setattr__(self, "table", field_table(self.dimensions))

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits; facts built under another fingerprint may differ."""
        text = f"{_MEANING}\n{[repr(rule) for rule in (*self.own, *BUILT_IN)]}\n{sorted(self.table.items())}"
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def decide(self, span: Span) -> Decision:
        """The first rule that matches, as a decision."""
        seen = self._seen_names
        attributes, resource = span.attributes, span.resource
        own = "" if seen.isdisjoint(attributes) else _values(attributes, seen)
        outer = "" if seen.isdisjoint(resource) else _values(resource, seen)
        key = (span.name, span.kind, span.service, own, outer)
        decision = self._cache.get(key)
        if decision is None:
            decision = self._first_match(span)
            if len(self._cache) >= _MOST_CACHED:
                self._cache.clear()
            self._cache[key] = decision
        return decision

    def hop_of(self, span: Span) -> Hop | None:
        """The hop a rule names for the span; None when none does (its parent's hop then counts)."""
        hop = self.decide(span).hop
        return None if hop == UNMAPPED else HOPS[hop]

    def with_user_rule(self, rule: Rule, index: int = 0) -> Rules:
        """These rules with one more of the user's own at ``index`` among them."""
        return Rules((*self.own[:index], rule, *self.own[index:]), self.dimensions)

    def without_user_rule(self, index: int) -> Rules:
        """These rules without the user's rule at ``index``. Raises IndexError when there is none."""
        if not 0 <= index < len(self.own):
            raise IndexError(index)
        return Rules(self.own[:index] + self.own[index + 1 :], self.dimensions)

    def with_dimension(self, dimension: str, names: tuple[str, ...]) -> Rules:
        """These rules with the user's attribute names for a dimension replaced; none removes them."""
        others = {key: value for key, value in self.dimensions.items() if key != dimension}
        return replace(self, dimensions={**others, dimension: names} if names else others)

    def to_toml(self) -> str:
        """The user's part as TOML text that ``load_rules`` reads back to the same rules."""
        return write_rule_file(self.own, self.dimensions)

    def _first_match(self, span: Span) -> Decision:
        for rule in (*self.own, *BUILT_IN):
            if rule.matches(span):
                hop = UNMAPPED if rule.hop is None else HOPS.index(rule.hop)
                return Decision(hop, rule.llm_call, rule.text)
        return _NOTHING


def load_rules(toml_text: str | None) -> Rules:
    """The rules in force given the text of the user's ``rules.toml`` (None or empty: built-in alone).

    Raises MappingError naming the rule, the value and what is accepted.

    >>> load_rules('[[hop]]\\nname = "my.rag.*"\\nhop = "retrieval"').own[0].name
    'my.rag.*'
    """
    own, dimensions = read_rule_file(toml_text or "")
    return Rules(own, dimensions)


def _values(attributes: dict[str, object], seen: frozenset[str]) -> str:
    return repr([(name, str(attributes[name])) for name in sorted(seen & attributes.keys())])
