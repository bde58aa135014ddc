"""Every moment of every request in whole nanoseconds, and the true time of each hop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budget_model.demo import scenario as sc
from budget_model.demo.fleet import Served, pool_of, serve
from budget_model.demo.plans import CANCELLED, FAILED, OK, Plans, draw_plans
from budget_model.demo.traffic import Traffic, draw_traffic

Nanos = NDArray[np.int64]
_NS_PER_MS, _NS_PER_S = 1e6, 1e9


@dataclass(frozen=True, slots=True)
class Parts:
    """Lengths in nanoseconds, one entry a request, 0 where a request has no such part, in path order."""

    build: Nanos
    app: Nanos
    up: Nanos
    auth: Nanos
    route: Nanos
    limit: Nanos
    search: Nanos  # (n, 3), parallel
    rerank: Nanos
    sync: Nanos
    attempt: Nanos  # (n, 3), each followed by its back-off
    back_off: Nanos
    engine_up: Nanos
    engine_front: Nanos
    queue: Nanos
    prefill: Nanos
    decode: Nanos
    engine_down: Nanos
    guard: Nanos
    down: Nanos
    render: Nanos
    audit: Nanos  # not awaited

    def before_engine(self) -> Nanos:
        """From the request's begin to the send of the attempt that counts."""
        head = self.build + self.app + self.up + self.auth + self.route + self.limit + self.rerank + self.sync
        waits = self.attempt.sum(axis=1) + self.back_off.sum(axis=1)
        return np.asarray(head + self.search.max(axis=1) + waits, dtype=np.int64)

    def hops(self) -> dict[str, Nanos]:
        """True path time of every hop but ``unattributed``, which is what no span covers."""
        return {
            "client": self.build + self.render,
            "network": self.up + self.down + self.engine_up + self.engine_down,
            "gateway": self.auth + self.route + self.limit,
            "retrieval": self.search.max(axis=1) + self.rerank,
            "queue": self.queue,
            "prefill": self.prefill,
            "decode": self.decode,
            "postprocess": self.guard,
            "retry": self.attempt.sum(axis=1) + self.back_off.sum(axis=1),
            "unattributed": self.app + self.sync + self.engine_front,
        }

    def e2e(self) -> Nanos:
        """End-to-end time as the caller sees it."""
        return np.asarray(sum(self.hops().values()), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Simulation:
    """Two weeks of the service: who asked, what was planned, what happened."""

    seed: int
    window_start_ns: int
    start_ns: Nanos
    traffic: Traffic
    plans: Plans
    served: Served
    parts: Parts

    def __len__(self) -> int:
        return int(self.start_ns.size)


def simulate(now_ns: int, seed: int = sc.SEED, requests: int = sc.REQUESTS) -> Simulation:
    """Simulate the two weeks before ``now_ns`` (UTC epoch nanoseconds), the same for the same arguments."""
    window_start_ns = now_ns - sc.DAYS * 86_400 * 1_000_000_000
    window_start_s = window_start_ns / _NS_PER_S
    rng = np.random.default_rng(seed)
    traffic = draw_traffic(rng, window_start_s, requests)
    plans = draw_plans(rng, traffic, window_start_s)
    parts = _lengths(plans, None)
    start = np.rint(traffic.start_s * _NS_PER_S).astype(np.int64)
    arrival = start + parts.before_engine() + parts.engine_up + parts.engine_front
    reached = np.where(plans.end == FAILED, np.nan, arrival / _NS_PER_S)
    site = np.array([sc.SITES.index(r.site) for r in sc.REGIONS])[traffic.region]
    pool = pool_of(site, plans.large)
    served = serve(seed, window_start_s, reached, plans.prompt, plans.output, pool)
    return Simulation(
        seed, window_start_ns, window_start_ns + start, traffic, plans, served, _lengths(plans, served)
    )


def _lengths(plans: Plans, served: Served | None) -> Parts:
    engine = plans.end != FAILED
    finished = plans.end == OK
    zero = np.zeros(plans.end.size, dtype=np.int64)
    return Parts(
        build=_ns(plans.build_ms),
        app=_ns(plans.app_ms),
        up=_ns(plans.up_ms),
        auth=_ns(plans.auth_ms),
        route=_ns(plans.route_ms),
        limit=_ns(plans.limit_ms),
        search=_ns(plans.search_ms),
        rerank=_ns(plans.rerank_ms),
        sync=_ns(plans.sync_ms),
        attempt=_ns(plans.attempt_ms),
        back_off=_ns(plans.back_off_ms),
        engine_up=_ns(plans.engine_up_ms) * engine,
        engine_front=_ns(plans.engine_front_ms) * engine,
        queue=_ns(served.queue_s * 1e3) if served else zero,
        prefill=_ns(served.prefill_s * 1e3) if served else zero,
        decode=_ns(served.decode_s * 1e3) if served else zero,
        engine_down=_ns(plans.engine_down_ms) * engine,
        guard=_ns(plans.guard_ms) * finished,
        down=_ns(plans.down_ms),
        render=_ns(plans.render_ms) * (plans.end != CANCELLED),
        audit=_ns(plans.audit_ms) * finished,
    )


def _ns(ms: NDArray[np.float64]) -> Nanos:
    return np.rint(np.nan_to_num(ms) * _NS_PER_MS).astype(np.int64)
