"""What each service's own spans carry: hops, tags, calls of a model and their first tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from budget_model.domain.hops import HOPS, Hop
from budget_model.normalise.fields import Found, read_fields, read_usage_events
from budget_model.normalise.rules import UNMAPPED, Decision, Rules
from budget_model.normalise.vocabulary.dimension_names import USAGE_EVENTS
from budget_model.normalise.vocabulary.gen_ai import FIRST_TOKEN_EVENTS
from budget_model.queries.service_requests import TAG_COLUMNS
from budget_model.queries.span_shapes import SpanShape, resource_uses, span_shapes, transits
from budget_model.queries.table import RequestTable
from budget_model.records.spans import Attributes

SERVICE_NAME = "service.name"

_FIRST_TOKENS = ("first_token_s", "first_token_ms")
_STAGES = {"queue_s": Hop.QUEUE, "prefill_s": Hop.PREFILL, "decode_s": Hop.DECODE}


@dataclass(slots=True)
class Sent:
    """How many spans carried something; times of their starts are UTC nanoseconds, 0 before any."""

    spans: int = 0
    first_ns: int = 0
    last_ns: int = 0

    def add(self, spans: int, first_ns: int, last_ns: int) -> None:
        """Count more spans."""
        self.first_ns = min(self.first_ns, first_ns) if self.spans else first_ns
        self.last_ns = max(self.last_ns, last_ns) if self.spans else last_ns
        self.spans += spans


@dataclass(slots=True)
class ServiceSent:
    """What one service sent. ``hops`` and ``tags`` have those that arrived, by name.

    ``calls`` are spans of model calls and ``first_tokens`` those that split themselves into prefill
    and decode. Of the calls in ok requests, ``ok_calls``, ``unsplit_calls`` cannot be split by anything.
    """

    all: Sent = field(default_factory=Sent)
    hops: dict[str, Sent] = field(default_factory=dict)
    tags: dict[str, Sent] = field(default_factory=dict)
    calls: Sent = field(default_factory=Sent)
    first_tokens: Sent = field(default_factory=Sent)
    ok_calls: int = 0
    unsplit_calls: int = 0


class SentReader:
    """Reads shapes of spans as the rules do that made the facts."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        # Standing in for a workload is not the same as naming one, unless a user says that it is.
        is_workload = SERVICE_NAME in rules.dimensions.get("workload", ())
        self._unread = frozenset() if is_workload else frozenset({SERVICE_NAME})

    def by_service(self, table: RequestTable, paths: Sequence[str]) -> dict[str, ServiceSent]:
        """All services that sent spans; "" are those without a name. Raises StoreError."""
        rules = self._rules
        shapes = span_shapes(
            table,
            paths,
            known=rules.known_names,
            compared=rules.compared_names,
            marks=FIRST_TOKEN_EVENTS | USAGE_EVENTS,
        )
        found: dict[str, ServiceSent] = {shape.example.service: ServiceSent() for shape in shapes}
        for shape in shapes:
            self._add(found[shape.example.service], shape)
        self._add_transits(found, shapes, table, paths)
        self._add_resources(found, table, paths)
        return found

    def _add(self, sent: ServiceSent, shape: SpanShape) -> None:
        decision = self._rules.decide(shape.example)
        fields = self._fields(shape)
        counts = (shape.spans, shape.first_ns, shape.last_ns)
        sent.all.add(*counts)
        for hop in _hops(decision, fields, shape):
            sent.hops.setdefault(hop, Sent()).add(*counts)
        for tag in _tags(fields):
            sent.tags.setdefault(tag, Sent()).add(*counts)
        if decision.llm_call:
            _add_calls(sent, shape, is_split=_splits(fields, shape))

    def _fields(self, shape: SpanShape) -> Found:
        own = self._read(shape.example.attributes)
        return read_usage_events(shape.example.events, self._rules.table, own) or {}

    def _read(self, attributes: Attributes) -> Found | None:
        named = {name: value for name, value in attributes.items() if name not in self._unread}
        return read_fields(named, self._rules.table)

    def _add_transits(
        self,
        found: dict[str, ServiceSent],
        shapes: Iterable[SpanShape],
        table: RequestTable,
        paths: Sequence[str],
    ) -> None:
        unmapped = {
            (shape.example.service, shape.example.name)
            for shape in shapes
            if shape.example.kind == "CLIENT" and self._rules.decide(shape.example).hop == UNMAPPED
        }
        for one in transits(table, paths, {name for _, name in unmapped}):
            if (one.service, one.name) in unmapped and one.service in found:
                network = found[one.service].hops.setdefault(str(Hop.NETWORK), Sent())
                network.add(one.spans, one.first_ns, one.last_ns)

    def _add_resources(
        self, found: dict[str, ServiceSent], table: RequestTable, paths: Sequence[str]
    ) -> None:
        given: dict[tuple[str, str], Sent] = {}
        for use in resource_uses(table, paths):
            for tag in _tags(self._read(use.resource) or {}):
                given.setdefault((use.service, tag), Sent()).add(use.spans, use.first_ns, use.last_ns)
        for (service, tag), sent in given.items():
            if service in found:
                tags = found[service].tags
                # Spans may carry the tag themselves as well; which of them do is not counted twice.
                tags[tag] = max(tags.get(tag, sent), sent, key=lambda one: one.spans)


def _add_calls(sent: ServiceSent, shape: SpanShape, *, is_split: bool) -> None:
    sent.calls.add(shape.spans, shape.first_ns, shape.last_ns)
    sent.ok_calls += shape.ok
    if is_split:
        sent.first_tokens.add(shape.spans, shape.first_ns, shape.last_ns)
    else:
        sent.unsplit_calls += shape.unsplit


def _hops(decision: Decision, fields: Found, shape: SpanShape) -> list[str]:
    if not decision.llm_call:
        return [] if decision.hop == UNMAPPED else [HOPS[decision.hop].value]
    stages = {hop for name, hop in _STAGES.items() if name in fields}
    if _splits(fields, shape):
        stages |= {Hop.PREFILL, Hop.DECODE}
    return [hop.value for hop in stages or {Hop.DECODE}]


def _splits(fields: Found, shape: SpanShape) -> bool:
    """Whether the span itself says where prefill ends."""
    marked = any(event.name in FIRST_TOKEN_EVENTS for event in shape.example.events)
    return marked or any(name in fields for name in (*_FIRST_TOKENS, "prefill_s", "decode_s"))


def _tags(fields: Found) -> list[str]:
    return [name for name in TAG_COLUMNS if name in fields]
