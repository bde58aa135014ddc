"""Which hop a span belongs to: the user's rules, then the built-in vocabularies; the first match wins."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace

from budget_model.domain.hops import HOPS, Hop
from budget_model.normalise.fields import FieldTable, Found, field_table, read_fields
from budget_model.normalise.rule_file import read_rule_file, write_rule_file
from budget_model.normalise.vocabulary import BUILT_IN
from budget_model.normalise.vocabulary.rule import ANY, Rule
from budget_model.records.spans import Attributes, Span

_MEANING = "3"  # raised when built-in tables or the way times are attributed change what facts come out
_MOST_CACHED = 50_000
_MOST_RESOURCES = 1_000
UNMAPPED = -1


@dataclass(frozen=True, slots=True)
class Decision:
    """What the rules say of a span. ``hop`` is an index into ``HOPS`` or ``UNMAPPED``."""

    hop: int
    llm_call: bool
    rule: str


ResourceView = tuple[Attributes, Found | None, tuple[object, ...] | None]
"""A resource, the fields it fills and what rules can see of it."""

_NOTHING = Decision(UNMAPPED, False, "")


@dataclass(frozen=True)
class Rules:
    """Hop rules and attribute names in force. Decisions are cached by what rules can see of a span.

    ``own`` are the user's rules in order, ``dimensions`` the user's attribute names by dimension.
    ``runs`` are the user's names in MLflow runs by field, which no fact depends on.
    """

    own: tuple[Rule, ...] = ()
    dimensions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    runs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _cache: dict[tuple[object, ...], Decision] = field(init=False, repr=False, compare=False)
    _resources: dict[int, ResourceView] = field(init=False, repr=False, compare=False)
    _valued: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _present: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _seen: frozenset[str] = field(init=False, repr=False, compare=False)
    table: FieldTable = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        conditions = [pair for rule in (*self.own, *BUILT_IN) for pair in rule.attributes]
        valued = {name for name, wanted in conditions if wanted != ANY}
        present = {name for name, _ in conditions} - valued
        object.__setattr__(self, "_cache", {})
        object.__setattr__(self, "_resources", {})
        object.__setattr__(self, "_valued", tuple(sorted(valued)))
        object.__setattr__(self, "_present", tuple(sorted(present)))
        object.__setattr__(self, "_seen", frozenset(valued | present))
        object.__setattr__(self, "table", field_table(self.dimensions))

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits; facts built under another fingerprint may differ."""
        # A set is written in another order by every process, so its names are written sorted.
        rules = [(repr(replace(r, names=frozenset())), sorted(r.names)) for r in (*self.own, *BUILT_IN)]
        text = f"{_MEANING}\n{rules}\n{sorted(self.table.items())}"
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    @property
    def compared_names(self) -> tuple[str, ...]:
        """Attribute names whose values a rule compares; spans that differ in them may be decided apart."""
        return self._valued

    @property
    def known_names(self) -> frozenset[str]:
        """All attribute names that a rule looks at or that fill a field."""
        return self._seen | self.table.keys()

    def decide(self, span: Span) -> Decision:
        """The first rule that matches, as a decision."""
        attributes, resource = span.attributes, span.resource
        own = outer = None
        if attributes and not self._seen.isdisjoint(attributes):
            own = self._visible(attributes)
        if resource:
            view = self._resources.get(id(resource))
            outer = (view if view is not None and view[0] is resource else self.of_resource(resource))[2]
        key = (span.name, span.kind, span.service, own, outer)
        decision = self._cache.get(key)
        if decision is None:
            decision = self._first_match(span)
            if len(self._cache) >= _MOST_CACHED:
                self._cache.clear()
            self._cache[key] = decision
        return decision

    def of_resource(self, resource: Attributes) -> ResourceView:
        """What a resource says; spans of one source share it, so it is read once."""
        view = self._resources.get(id(resource))
        if view is None or view[0] is not resource:
            outer = None if self._seen.isdisjoint(resource) else self._visible(resource)
            view = (resource, read_fields(resource, self.table), outer)
            if len(self._resources) >= _MOST_RESOURCES:
                self._resources.clear()
            self._resources[id(resource)] = view  # holding the dict keeps its id from being used again
        return view

    def hop_of(self, span: Span) -> Hop | None:
        """The hop a rule names for the span; None when none does (its parent's hop then counts)."""
        hop = self.decide(span).hop
        return None if hop == UNMAPPED else HOPS[hop]

    def with_user_rule(self, rule: Rule, index: int = 0) -> Rules:
        """These rules with one more of the user's own at ``index`` among them."""
        return replace(self, own=(*self.own[:index], rule, *self.own[index:]))

    def without_user_rule(self, index: int) -> Rules:
        """These rules without the user's rule at ``index``. Raises IndexError when there is none."""
        if not 0 <= index < len(self.own):
            raise IndexError(index)
        return replace(self, own=self.own[:index] + self.own[index + 1 :])

    def with_dimension(self, dimension: str, names: tuple[str, ...]) -> Rules:
        """These rules with the user's attribute names for a dimension replaced; none removes them."""
        others = {key: value for key, value in self.dimensions.items() if key != dimension}
        return replace(self, dimensions={**others, dimension: names} if names else others)

    def to_toml(self) -> str:
        """The user's part as TOML text that ``load_rules`` reads back to the same rules."""
        return write_rule_file(self.own, self.dimensions, self.runs)

    def visible(self, attributes: Attributes) -> tuple[object, ...] | None:
        """What any rule can see of the attributes; None when that is nothing."""
        return None if self._seen.isdisjoint(attributes) else self._visible(attributes)

    def _visible(self, attributes: Attributes) -> tuple[object, ...]:
        """What rules can see of the attributes: values they compare, and whether others are there."""
        values = [str(attributes[name]) if name in attributes else None for name in self._valued]
        return (*values, *[name in attributes for name in self._present])

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
    return Rules(*read_rule_file(toml_text or ""))
