"""One simulated request as the spans its services would emit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
import numpy as np

from budget_model.demo import resources, wire
from budget_model.demo import scenario as sc
from budget_model.demo.plans import CANCELLED, FAILED, REFUSED, REJECTED, TIMED_OUT
from budget_model.demo.timeline import Simulation
from budget_model.demo.wire import OutLink, OutSpan, OutStatus, fixed, pairs

_IDS_PER_TRACE = 24
_FAILURES = {
    REFUSED: (503, "503 no replica is ready"),
    TIMED_OUT: (504, "504 no first byte in time"),
    REJECTED: (400, "400 the prompt does not fit the context window"),
}

Emitted = tuple[msgspec.Raw, int, OutSpan]
"""Resource, end in nanoseconds, span."""


def emit(sim: Simulation, index: int, ids: str) -> list[Emitted]:
    """All spans of one request; ``ids`` is hexadecimal text of at least ``id_digits()`` digits."""
    return _Request(sim, index, ids).spans()


def id_digits() -> int:
    """Hexadecimal digits that one request's trace and span ids are cut from."""
    return 32 + 16 * _IDS_PER_TRACE


def draw_ids(rng: np.random.Generator, requests: int) -> Iterator[str]:
    """Random ids for ``requests`` requests, one text each."""
    digits = id_digits()
    text = rng.bytes(requests * digits // 2).hex()
    return (text[at : at + digits] for at in range(0, len(text), digits))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a span belongs: the emitting resource and the parent's id."""

    resource: msgspec.Raw
    parent: str


class _Request:
    """Walks one request's path with a clock, emitting a span for each part that is instrumented."""

    def __init__(self, sim: Simulation, index: int, ids: str) -> None:
        self.sim, self.i, self.p = sim, index, sim.parts
        self.trace_id, self._ids, self._used = ids[:32], ids, 32
        self.clock = int(sim.start_ns[index])
        self.end = int(sim.plans.end[index])
        self.region = sc.REGIONS[int(sim.traffic.region[index])]
        self.workload = sc.WORKLOADS[int(sim.traffic.workload[index])]
        self.model = sc.MODELS[int(sim.plans.large[index])]
        self.out: list[Emitted] = []

    def spans(self) -> list[Emitted]:
        """Client, network, gateway and back."""
        root, start = self._id(), self.clock
        app = _Place(resources.web_app(self.region.name), root)
        self._step(app, "client.build", int(self.p.build[self.i]))
        self.clock += int(self.p.app[self.i])
        self._post(app)
        if self.end != CANCELLED:
            self._step(app, "client.render", int(self.p.render[self.i]))
        place = _Place(app.resource, "")
        self._add(place, "chat.request", wire.INTERNAL, start, root, self._root_attributes(), self._status())
        return self.out

    def _post(self, app: _Place) -> None:
        span, start = self._id(), self.clock
        self.clock += int(self.p.up[self.i])
        self._gateway(span)
        self.clock += int(self.p.down[self.i])
        attributes = self._http()
        self._add(app, "POST /v1/chat/completions", wire.CLIENT, start, span, attributes, self._status())

    def _gateway(self, parent: str) -> None:
        span, start, p, i = self._id(), self.clock, self.p, self.i
        place = _Place(resources.gateway(self.region.site), span)
        self._step(place, "gateway.auth", int(p.auth[i]))
        self._step(place, "gateway.route", int(p.route[i]))
        if p.limit[i]:
            self._step(place, "gateway.rate_limit", int(p.limit[i]))
        if p.rerank[i]:
            self._retrieve(place)
        if p.sync[i]:
            self._step(place, "workspace.sync", int(p.sync[i]))
        self._calls(place)
        if p.guard[i]:
            self._step(place, "guardrail", int(p.guard[i]))
        attributes, status = self._http(), self._status()
        where = _Place(place.resource, parent)
        self._add(where, "POST /v1/chat/completions", wire.SERVER, start, span, attributes, status)
        if p.audit[i]:
            self._audit(place)

    def _retrieve(self, gateway: _Place) -> None:
        span, start = self._id(), self.clock
        place = _Place(resources.retriever(self.region.site), span)
        for shard, length in enumerate(self.p.search[self.i].tolist()):
            attributes = fixed(("db.system.name", "qdrant"), ("db.shard", shard))
            self._add(
                place, "vector.search", wire.INTERNAL, start, self._id(), attributes, end=start + length
            )
        self.clock = start + int(self.p.search[self.i].max())
        self._step(place, "rerank", int(self.p.rerank[self.i]))
        self._add(_Place(place.resource, gateway.parent), "retrieve", wire.SERVER, start, span)

    def _calls(self, gateway: _Place) -> None:
        for attempt, length in enumerate(self.p.attempt[self.i].tolist()):
            if length:
                self._failed_call(gateway, attempt, length)
                self.clock += int(self.p.back_off[self.i, attempt])
        if self.end == FAILED:
            return
        span, start, p, i = self._id(), self.clock, self.p, self.i
        self.clock += int(p.engine_up[i])
        first_token = self._engine(span)
        self.clock += int(p.engine_down[i])
        attributes = pairs(
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "vllm",
                "gen_ai.request.model": self.model.name,
                "gen_ai.request.stream": True,
                "gen_ai.response.time_to_first_chunk": (first_token - start) / 1e9,
                "http.request.resend_count": int(self.sim.plans.failed_attempts[i]),
            }
        )
        self._add(gateway, "llm.call", wire.CLIENT, start, span, attributes, self._status())

    def _failed_call(self, gateway: _Place, attempt: int, length: int) -> None:
        code, message = _FAILURES[int(self.sim.plans.failure[self.i])]
        attributes = fixed(
            ("gen_ai.operation.name", "chat"),
            ("gen_ai.provider.name", "vllm"),
            ("gen_ai.request.model", self.model.name),
            ("error.type", str(code)),
            ("http.request.resend_count", attempt),
        )
        start, self.clock = self.clock, self.clock + length
        status = OutStatus(wire.ERROR, message)
        self._add(gateway, "llm.call", wire.CLIENT, start, self._id(), attributes, status)

    def _engine(self, parent: str) -> int:
        """The engine's own span, which carries its stages as durations; returns the first token's time."""
        p, i, served = self.p, self.i, self.sim.served
        start = self.clock
        queue, prefill, decode = int(p.queue[i]), int(p.prefill[i]), int(p.decode[i])
        ttft = int(p.engine_front[i]) + queue + prefill
        self.clock = start + ttft + decode
        attributes = pairs(
            {
                "gen_ai.request.id": f"chatcmpl-{self.trace_id[:12]}",
                "gen_ai.response.model": self.model.name,
                "gen_ai.usage.prompt_tokens": int(self.sim.plans.prompt[i]),
                "gen_ai.usage.completion_tokens": int(self.sim.plans.output[i]),
                "gen_ai.latency.time_in_queue": queue / 1e9,
                "gen_ai.latency.time_in_model_prefill": prefill / 1e9,
                "gen_ai.latency.time_in_model_decode": decode / 1e9,
                "gen_ai.latency.time_in_model_inference": (prefill + decode) / 1e9,
                "gen_ai.latency.time_to_first_token": ttft / 1e9,
                "gen_ai.latency.e2e": (ttft + decode) / 1e9,
            }
        )
        place = _Place(resources.engine(int(served.replica[i]), int(served.instance[i])), parent)
        self._add(place, "llm_request", wire.SERVER, start, self._id(), attributes)
        return start + ttft

    def _audit(self, gateway: _Place) -> None:
        """Sent when the answer is out and never awaited: outside the request's end-to-end time."""
        sent, span = self.clock, self._id()
        fast = 400_000
        self._add(gateway, "audit publish", wire.PRODUCER, sent - fast, span, end=sent)
        place = _Place(resources.auditor(self.region.site), span)
        end = sent + int(self.p.audit[self.i])
        link = [OutLink(self.trace_id, span)]
        self._add(place, "audit process", wire.CONSUMER, sent, self._id(), end=end, links=link)

    def _root_attributes(self) -> msgspec.Raw:
        newer = bool(self.sim.plans.new_version[self.i])
        return fixed(
            ("tenant.id", sc.TENANTS[int(self.sim.traffic.tenant[self.i])].name),
            ("workload", self.workload.name),
            ("gen_ai.request.model", self.model.name),
            ("gen_ai.prompt.name", self.workload.prompt_name),
            ("gen_ai.prompt.version", sc.NEW_VERSION if newer else self.workload.prompt_version),
            *((("error.type", "cancelled"),) if self.end == CANCELLED else ()),
        )

    def _http(self) -> msgspec.Raw:
        code = 200
        if self.end == FAILED:
            code = _FAILURES[int(self.sim.plans.failure[self.i])][0]
        if self.end == CANCELLED:
            code = 499
        return fixed(
            ("http.request.method", "POST"),
            ("url.path", "/v1/chat/completions"),
            ("http.response.status_code", code),
        )

    def _status(self) -> OutStatus | None:
        if self.end == FAILED:
            return OutStatus(wire.ERROR, _FAILURES[int(self.sim.plans.failure[self.i])][1])
        return OutStatus(wire.ERROR, "cancelled by the user") if self.end == CANCELLED else None

    def _step(self, place: _Place, name: str, length: int) -> None:
        start, self.clock = self.clock, self.clock + length
        self._add(place, name, wire.INTERNAL, start, self._id())

    def _add(
        self,
        place: _Place,
        name: str,
        kind: int,
        start: int,
        span_id: str,
        attributes: msgspec.Raw | None = None,
        status: OutStatus | None = None,
        *,
        end: int | None = None,
        links: list[OutLink] | None = None,
    ) -> None:
        stop = self.clock if end is None else end
        span = OutSpan(
            self.trace_id,
            span_id,
            place.parent,
            name,
            kind,
            str(start),
            str(stop),
            attributes,
            links,
            status,
        )
        self.out.append((place.resource, stop, span))

    def _id(self) -> str:
        at = self._used
        self._used += 16
        return self._ids[at : at + 16]
