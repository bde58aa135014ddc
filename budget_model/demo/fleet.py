"""All replicas together: the router sends each request to the least loaded replica of its pool."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budget_model.demo import scenario as sc
from budget_model.demo.replica import Replica, Sequence


@dataclass(frozen=True, slots=True)
class Served:
    """What the engines did, one entry a request; times in seconds, NaN where no engine was reached."""

    queue_s: NDArray[np.float64]
    prefill_s: NDArray[np.float64]
    decode_s: NDArray[np.float64]
    replica: NDArray[np.int64]  # -1 where no engine was reached
    instance: NDArray[np.int64]
    cold: NDArray[np.bool_]  # was in the first step after the weights were loaded


def pool_of(site: NDArray[np.int64], large: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Number of the replica pool that serves a model at a site."""
    return site * len(sc.MODELS) + large


def pool_parts(replica: int) -> tuple[str, sc.Model]:
    """The site and the model of a replica."""
    pool = replica // sc.REPLICAS_PER_POOL
    return sc.SITES[pool // len(sc.MODELS)], sc.MODELS[pool % len(sc.MODELS)]


def serve(
    seed: int,
    window_start_s: float,
    arrival_s: NDArray[np.float64],
    prompt: NDArray[np.int64],
    output: NDArray[np.int64],
    pool: NDArray[np.int64],
) -> Served:
    """Run every request with a finite ``arrival_s`` (seconds since the window began) through its pool."""
    pools = _build(seed, window_start_s)
    done: list[Sequence] = []
    for index in np.argsort(arrival_s, kind="stable").tolist():
        arrival = float(arrival_s[index])
        if not math.isfinite(arrival):
            break
        members = pools[int(pool[index])]
        for replica in members:
            replica.advance(arrival)
        sequence = Sequence(index, arrival, int(prompt[index]), int(output[index]))
        min(members, key=lambda r: (r.load(), r.number)).submit(sequence)
        done.append(sequence)
    for members in pools:
        for replica in members:
            replica.advance(math.inf)
    return _columns(done, arrival_s.size)


def _build(seed: int, window_start_s: float) -> list[list[Replica]]:
    count = len(sc.SITES) * len(sc.MODELS) * sc.REPLICAS_PER_POOL
    replicas = []
    for number in range(count):
        shift = sc.ROLLOUT_HOUR * 3600.0 + number * sc.ROLLOUT_GAP_S
        restarts = deque(sc.day_start_s(window_start_s, day) + shift for day in sc.ROLLOUT_DAYS)
        rng = np.random.default_rng([seed, number])
        replicas.append(Replica(number, pool_parts(number)[1], restarts, rng))
    size = sc.REPLICAS_PER_POOL
    return [replicas[first : first + size] for first in range(0, count, size)]


def _columns(done: list[Sequence], requests: int) -> Served:
    times = np.full((3, requests), np.nan)
    replica, instance = np.full(requests, -1), np.zeros(requests, dtype=np.int64)
    cold = np.zeros(requests, dtype=np.bool_)
    for one in done:
        at = one.index
        times[0, at] = one.scheduled_s - one.arrival_s
        times[1, at] = one.first_token_s - one.scheduled_s
        times[2, at] = one.last_token_s - one.first_token_s
        replica[at], instance[at], cold[at] = one.replica, one.instance, one.cold
    return Served(times[0], times[1], times[2], replica, instance, cold)
