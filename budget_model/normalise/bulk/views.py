"""What rules and fields make of attributes: looked up once for each dict, as many spans share one."""

from __future__ import annotations

from budget_model.normalise.fields import Found, label, number, read_fields
from budget_model.normalise.rules import Rules
from budget_model.normalise.vocabulary.dimension_names import CANCELLED_NAMES, DIMENSIONS, DURATION
from budget_model.records.spans import Attributes, Span

_FIRST_TOKEN = ("first_token_s", "first_token_ms")
_ODD_FIELDS = frozenset({"queue_s", "prefill_s", "decode_s", "text_cut", *(f"d:{name}" for name in DURATION)})
_CANCELLED = frozenset(CANCELLED_NAMES)
_MOST_KINDS = 50_000
_MOST_TOKENS = 10**12

Numbers = dict[tuple[object, ...], int]
"""Numbers given in turn to what is alike."""


class View:
    """Fields and labels of one dict of attributes; ``number`` is equal for dicts of equal meaning.

    ``is_odd`` when only the general way deals with spans that carry them. Holds the dict, so that its
    id, by which views are found, stays its own.
    """

    __slots__ = ("attributes", "fields", "is_odd", "labels", "number")

    def __init__(self, attributes: Attributes, rules: Rules, numbers: Numbers) -> None:
        self.attributes = attributes
        self.labels: dict[str, str] = {}
        self.fields: Found | None = None
        self.is_odd = False
        if not attributes:
            self.number = -1
            return
        found = self.fields = read_fields(attributes, rules.table)
        given: list[str] = []
        for name, (rank, value) in (found or {}).items():
            if name in DIMENSIONS:
                self.labels[name] = label(value)
                if rank < 0:
                    given.append(name)
            elif name in _ODD_FIELDS or not _is_usual(found or {}, name):
                self.is_odd = True
        signature = (
            None if found is None else frozenset(found),
            frozenset(given) if given else None,
            rules.visible(attributes),
            _CANCELLED.isdisjoint(attributes),
        )
        self.number = numbers.setdefault(signature, len(numbers))


def _is_usual(found: Found, name: str) -> bool:
    """Whether a first token is a number, and a count one that adds in 64 bits."""
    value = number(found, name)
    return value <= _MOST_TOKENS if value is not None else name not in _FIRST_TOKEN


class Views:
    """Views of a batch of spans, and the numbers of the kinds of span met so far."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.by_id: dict[int, View] = {}
        self.kinds: dict[tuple[int, int, str, str, str], int] = {}
        self._attributes: Numbers = {}
        self._spans: Numbers = {}

    def add(self, attributes: Attributes) -> View:
        """The view of a dict that has none yet."""
        view = self.by_id[id(attributes)] = View(attributes, self.rules, self._attributes)
        return view

    def add_kind(self, key: tuple[int, int, str, str, str], span: Span) -> int:
        """The number of a kind of span, by its views' numbers, name, kind and service."""
        if len(self.kinds) >= _MOST_KINDS:
            self.kinds.clear()
        decision = self.rules.decide(span)
        signature = (*key[:2], decision.hop, decision.llm_call, span.kind, span.service)
        self.kinds[key] = found = self._spans.setdefault(signature, len(self._spans))
        return found

    def forget_batch(self) -> None:
        """Let go of the spans' dicts; what was learned of kinds stays."""
        self.by_id.clear()
