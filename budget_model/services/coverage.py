"""Which hops, tags and events arrive from which service, since when, and what is missing.

Spans say what a service sends. The requests it has a part in say what is known of them, whichever
service told. Only what is missing from the requests is a gap: one service needs to send it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from budget_model.domain.hops import MEASURED_HOPS
from budget_model.errors import NoDataError
from budget_model.normalise.rules import Rules
from budget_model.queries.service_requests import (
    HOP_COLUMNS,
    TAG_COLUMNS,
    RequestGroup,
    known_in,
    requests_by_service,
    requests_in,
    requests_without_spans,
)
from budget_model.queries.table import RequestTable
from budget_model.services.coverage_gaps import Gap, gaps_of
from budget_model.services.coverage_missing import missing_of
from budget_model.services.coverage_sent import Sent, SentReader, ServiceSent
from budget_model.services.making import assembler_for
from budget_model.services.workspace import Workspace

LOGS = {"row": "request log", "events": "event log"}
"""Requests that came without spans, by how they are stored, and what their source is called."""

NAMELESS = "no service name"
"""How spans without a service name are called."""

_NS_PER_US = 1_000


@dataclass(frozen=True, slots=True)
class Arrival:
    """Something known in ``n`` of ``of`` ok requests; ``spans`` of the service carry it.

    With 0 spans another service sends it, or a log holds it. Times are UTC microseconds, those at
    which the first and the last such span begin; None without one.
    """

    name: str
    n: int
    of: int
    spans: int = 0
    first_us: int | None = None
    last_us: int | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of requests, load tests included: of ``total``, ``ok`` went well and are counted."""

    total: int
    ok: int
    hops: tuple[Arrival, ...]
    tags: tuple[Arrival, ...]
    ttft: Arrival


@dataclass(frozen=True, slots=True)
class ServiceCoverage:
    """One service, or all logs of one kind. The service's name comes from the data: untrusted.

    ``requests`` are those it has a span in. ``calls`` are spans of model calls; ``first_tokens`` of
    them say themselves where prefill ends. Times are UTC microseconds, None when none is known.
    A log has no spans, and nothing is missing from it that spans would bring.
    """

    service: str
    is_log: bool
    spans: int
    first_us: int | None
    last_us: int | None
    requests: Known
    calls: int
    first_tokens: int
    gaps: tuple[Gap, ...]

    @property
    def title(self) -> str:
        """The service's name, or that it has none."""
        return self.service or NAMELESS


@dataclass(frozen=True, slots=True)
class Coverage:
    """Services by their spans, most first, then request logs and event logs."""

    services: tuple[ServiceCoverage, ...]

    def of(self, name: str) -> ServiceCoverage:
        """The service called ``name`` ("" or "no service name": without one).

        Raises NoDataError when there is none.
        """
        for one in self.services:
            if name in (one.service, one.title):
                return one
        known = ", ".join(one.title for one in self.services) or "none yet"
        raise NoDataError(f"no spans came from a service {name!r}; those that sent some: {known}")


def service_coverage(workspace: Workspace) -> Coverage:
    """Coverage of all that is stored, by the hop rules in force. Raises MappingError or StoreError."""
    engine = workspace.engine
    rules = assembler_for(workspace.settings).rules()
    return coverage_of(engine.table(), engine.span_paths(), rules)


def coverage_of(table: RequestTable, paths: Sequence[str], rules: Rules) -> Coverage:
    """Coverage of a generation and the spans segments at ``paths``. Raises StoreError."""
    sent = SentReader(rules).by_service(table, paths)
    groups = requests_by_service(table, paths)
    total = sum(one.all.spans for one in sent.values())
    names = sorted(sent, key=lambda name: (not name, -sent[name].all.spans, name))
    services = [_service(name, sent[name], _of(groups, name), total) for name in names]
    without = requests_without_spans(table)
    logs = [_log(kind, found) for kind in LOGS if (found := _of(without, kind))]
    return Coverage((*services, *logs))


def _of(groups: Sequence[RequestGroup], owner: str) -> list[RequestGroup]:
    return [group for group in groups if group.owner == owner]


def _service(name: str, sent: ServiceSent, groups: Sequence[RequestGroup], total: int) -> ServiceCoverage:
    return ServiceCoverage(
        service=name,
        is_log=False,
        spans=sent.all.spans,
        first_us=sent.all.first_ns // _NS_PER_US,
        last_us=sent.all.last_ns // _NS_PER_US,
        requests=_known(groups, sent),
        calls=sent.calls.spans,
        first_tokens=sent.first_tokens.spans,
        gaps=gaps_of(missing_of(name, sent, groups, total)),
    )


def _log(kind: str, groups: Sequence[RequestGroup]) -> ServiceCoverage:
    firsts = [group.first_us for group in groups if group.first_us is not None]
    lasts = [group.last_us for group in groups if group.last_us is not None]
    return ServiceCoverage(
        service=LOGS[kind],
        is_log=True,
        spans=0,
        first_us=min(firsts, default=None),
        last_us=max(lasts, default=None),
        requests=_known(groups, ServiceSent()),
        calls=0,
        first_tokens=0,
        gaps=(),
    )


def _known(groups: Sequence[RequestGroup], sent: ServiceSent) -> Known:
    ok = [group for group in groups if group.is_ok]
    hops = [_arrival(hop.value, HOP_COLUMNS[hop], ok, sent.hops.get(hop.value)) for hop in MEASURED_HOPS]
    return Known(
        total=requests_in(groups),
        ok=requests_in(ok),
        hops=tuple(hops),
        tags=tuple(_arrival(name, name, ok, sent.tags.get(name)) for name in TAG_COLUMNS),
        ttft=_arrival("ttft", "ttft_us", ok, None),
    )


def _arrival(name: str, column: str, ok: Sequence[RequestGroup], sent: Sent | None) -> Arrival:
    n, of = known_in(ok, column), requests_in(ok)
    if sent is None:
        return Arrival(name, n, of)
    return Arrival(name, n, of, sent.spans, sent.first_ns // _NS_PER_US, sent.last_ns // _NS_PER_US)
