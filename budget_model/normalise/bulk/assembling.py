"""Facts of a batch of traces: those of a usual shape together, the others not at all.

Two traces have one shape when their spans, by start and id, hang together in the same way and mean
the same to the rules. Then everything but times, ids, labels and token counts is the same, so it is
worked out once, by the general way, on the first of them. What comes out is equal to what
``assemble.assemble`` gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import numpy as np

from budget_model.normalise.bulk.columns import Spell, rounded_us
from budget_model.normalise.bulk.measure import flags_of, path_times, wall_times
from budget_model.normalise.bulk.plans import Plan, plan_of
from budget_model.normalise.bulk.tokens import token_columns
from budget_model.normalise.bulk.views import View, Views
from budget_model.normalise.keys import sealed, trace_key
from budget_model.normalise.rules import Rules
from budget_model.normalise.tree import is_root
from budget_model.normalise.vocabulary.dimension_names import CANCELLED_NAMES, DIMENSIONS
from budget_model.records.facts import Flag, Outcome, RequestFact
from budget_model.records.spans import Span

_MOST_PLANS = 2_000
_FEWEST_ALIKE = 8  # fewer traces of a shape take less time one by one
_TTFT_EQUALS_E2E = int(Flag.TTFT_EQUALS_E2E)
_OK, _EMPTY = Outcome.OK.value, Outcome.EMPTY.value
_in_order = attrgetter("start_ns", "span_id", "kind")
_CANCELLED = frozenset(CANCELLED_NAMES)
Shape = tuple[object, ...]


@dataclass(slots=True)
class _Alike:
    """Traces of one shape: where each stands in the batch, its spans by start, and their views."""

    numbers: list[int] = field(default_factory=list)
    traces: list[list[Span]] = field(default_factory=list)
    views: list[list[View]] = field(default_factory=list)
    outers: list[list[View]] = field(default_factory=list)


class BulkAssembler:
    """Assembles batches under one set of rules; keeps what it learns of shapes from batch to batch."""

    def __init__(self, rules: Rules, fewest_alike: int = _FEWEST_ALIKE) -> None:
        self._rules = rules
        self._fewest = fewest_alike
        self._plans: dict[Shape, Plan | None] = {}
        self._views = Views(rules)

    def facts(self, traces: Sequence[Sequence[Span]]) -> list[RequestFact | None]:
        """The one fact of each trace, its spans deduplicated and in any order; None: not of a usual shape."""
        groups: dict[Shape, _Alike] = {}
        for index, trace in enumerate(traces):
            self._sort_in(index, trace, groups)
        found: list[RequestFact | None] = [None] * len(traces)
        for shape, alike in groups.items():
            plan = self._plan(shape, alike)
            if plan is not None:
                for index, fact in zip(alike.numbers, _facts(plan, alike), strict=True):
                    found[index] = fact
        self._views.forget_batch()
        return found

    def _plan(self, shape: Shape, alike: _Alike) -> Plan | None:
        if len(alike.traces) < self._fewest:
            return None
        if shape not in self._plans:
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            self._plans[shape] = plan_of(alike.traces[0], self._rules)
        return self._plans[shape]

    def _sort_in(self, index: int, trace: Sequence[Span], groups: dict[Shape, _Alike]) -> None:  # noqa: C901
        """Put a trace among those of its shape, or nowhere. One loop: it runs for every span there is."""
        spans = sorted(trace, key=_in_order)
        at = {span.span_id: place for place, span in enumerate(spans)}
        if len(at) < len(spans) or spans[0].start_ns < 0:
            return
        known, kinds = self._views.by_id, self._views.kinds
        views: list[View] = []
        outers: list[View] = []
        shape: list[object] = []
        root = None
        resource, host = spans[0].resource, spans[0].host
        outer = known.get(id(resource)) or self._views.add(resource)
        one_host = host != ""
        for place, span in enumerate(spans):
            end = span.end_ns
            if end is None or end <= span.start_ns or span.status == "ERROR" or span.events or span.is_async:
                return
            if span.resource is not resource:
                resource = span.resource
                outer = known.get(id(resource)) or self._views.add(resource)
            view = known.get(id(span.attributes)) or self._views.add(span.attributes)
            parent = at.get(span.parent_id)
            if parent is None:
                if root is not None or not is_root(span):
                    return
                root = span
            if parent == place or view.is_odd or outer.is_odd:
                return
            if span.host != host:
                one_host = False
            key = (view.number, outer.number, span.name, span.kind, span.service)
            kind = kinds.get(key)
            shape += (self._views.add_kind(key, span) if kind is None else kind, parent)
            views.append(view)
            outers.append(outer)
        if root is None or root.status_message or spans[0].record == "event":
            return
        if not _CANCELLED.isdisjoint(root.attributes):
            return
        shape.append(one_host or _hosts(spans))
        whole = tuple(shape)
        alike = groups.get(whole)
        if alike is None:
            alike = groups[whole] = _Alike()
        alike.numbers.append(index)
        alike.traces.append(spans)
        alike.views.append(views)
        alike.outers.append(outers)


def _hosts(spans: Sequence[Span]) -> tuple[int, ...]:
    """Hosts by number of their first appearance; 0 is a host without a name."""
    seen = {"": 0}
    return tuple(seen.setdefault(span.host, len(seen)) for span in spans)


def _facts(plan: Plan, alike: _Alike) -> list[RequestFact]:
    spells = _spells(alike.traces)
    tokens = token_columns(plan, spells, alike.views)
    wall, measured = wall_times(plan, spells, tokens.points)
    path = path_times(plan, spells, tokens.points, measured)
    e2e = rounded_us(spells[plan.root][1] - spells[plan.root][0]).tolist()
    columns = (
        *(tokens.prompt, tokens.output, flags_of(plan, spells), e2e),
        *(tokens.ttft_us, tokens.generation_us, tokens.tpot_us, path, wall),
    )
    labels = _label_columns(plan, alike)
    roots = [spans[plan.root] for spans in alike.traces]
    rows = zip(roots, zip(*labels, strict=True), zip(*columns, strict=True), strict=True)
    return [_fact(root, len(plan.nodes), *row) for root, *row in rows]


def _label_columns(plan: Plan, alike: _Alike) -> list[list[str | None]]:
    """One column for each dimension, in the order of ``dimension_names.DIMENSIONS``."""
    columns: dict[str, list[str | None]] = {name: [None] * len(alike.traces) for name in DIMENSIONS}
    for name, place, by_resource in plan.labels:
        views = alike.outers if by_resource else alike.views
        columns[name] = [row[place].labels[name] for row in views]
    return list(columns.values())


def _spells(traces: Sequence[Sequence[Span]]) -> list[Spell]:
    shape = (len(traces), len(traces[0]))
    starts = np.array([span.start_ns for spans in traces for span in spans], np.int64).reshape(shape)
    ends = np.array([span.end_ns for spans in traces for span in spans], np.int64).reshape(shape)
    return [(starts[:, place].copy(), ends[:, place].copy()) for place in range(shape[1])]


def _fact(root: Span, records: int, labels: tuple[str | None, ...], figures: tuple[Any, ...]) -> RequestFact:
    prompt, output, flags, e2e_us, ttft_us, generation_us, tpot_us, path_us, wall_us = figures
    if ttft_us == e2e_us and (output or 2) > 1:
        flags |= _TTFT_EQUALS_E2E
    # By position, which takes half the time; the fields are those of RequestFact in their order.
    fields: tuple[Any, ...] = (
        *(root.trace_id, root.trace_id, trace_key(root.trace_id), root.span_id, root.name, "spans"),
        *(_EMPTY if output == 0 else _OK, root.start_ns // 1000),
        *labels,
        *(prompt, output, 1, records, 0, flags),
        *(e2e_us, ttft_us, None, generation_us, tpot_us, path_us, wall_us, 0),
    )
    return sealed(RequestFact(*fields))
