from __future__ import annotations

import dataclasses

import numpy as np

from budget_model.demo import scenario as sc
from budget_model.demo.plans import OK
from budget_model.demo.timeline import Simulation, simulate
from tests.demo.conftest import NOW_NS, SMALL


def columns(sim: Simulation) -> dict[str, bytes]:
    return {
        f"{group}.{f.name}": getattr(getattr(sim, group), f.name).tobytes()
        for group in ("traffic", "plans", "served", "parts")
        for f in dataclasses.fields(getattr(sim, group))
    }


def test_the_same_seed_and_clock_give_the_same_requests(small: Simulation) -> None:
    assert columns(simulate(NOW_NS, requests=SMALL)) == columns(small)


def test_another_seed_gives_other_requests(small: Simulation) -> None:
    assert columns(simulate(NOW_NS, seed=sc.SEED + 1, requests=SMALL)) != columns(small)


def test_every_request_begins_and_ends_within_the_two_weeks_before_now(full: Simulation) -> None:
    assert len(full) == sc.REQUESTS
    assert full.start_ns.min() >= full.window_start_ns
    now_ns = full.window_start_ns + 14 * 86_400 * 10**9
    assert (full.start_ns + full.parts.e2e() + full.parts.audit).max() <= now_ns
    assert (np.diff(full.start_ns) >= 0).all()


def test_every_request_that_reached_an_engine_was_served(full: Simulation) -> None:
    served = full.plans.end == OK
    assert (full.served.replica[served] >= 0).all()
    assert (full.parts.prefill[served] > 0).all()
    assert (full.parts.decode[served] > 0).all()
    assert (full.parts.queue >= 0).all()
