"""Continuous batching, by hand: a model with round numbers."""

from __future__ import annotations

import math
from collections import deque

import numpy as np
import pytest

from budget_model.demo.replica import Replica, Sequence
from budget_model.demo.scenario import IDLE_UNLOAD_S, LOAD_S, Model

STEP_10_MS_AND_1_MS_A_PROMPT_TOKEN = Model("m", "h", 10.0, 0.0, 1.0, token_budget=100, slots=2)


def replica(restarts: tuple[float, ...] = ()) -> Replica:
    rng = np.random.default_rng(0)
    return Replica(0, STEP_10_MS_AND_1_MS_A_PROMPT_TOKEN, deque(restarts), rng)


def run(sequences: list[Sequence], engine: Replica | None = None) -> None:
    engine = engine or replica()
    for sequence in sequences:
        engine.advance(sequence.arrival_s)
        engine.submit(sequence)
    engine.advance(math.inf)


def test_a_request_alone_waits_for_nothing() -> None:
    one = Sequence(0, 1.0, prompt_left=50, output_left=11)
    run([one])
    assert one.scheduled_s == 1.0
    assert one.first_token_s == pytest.approx(1.060)
    assert one.last_token_s == pytest.approx(1.160)


def test_a_prompt_over_the_budget_is_read_in_chunks() -> None:
    one = Sequence(0, 0.0, prompt_left=250, output_left=2)
    run([one])
    assert one.first_token_s == pytest.approx(3 * 0.010 + 0.250)


def test_a_long_prompt_slows_the_tokens_of_those_beside_it() -> None:
    beside, long = Sequence(0, 0.0, 1, 101), Sequence(1, 0.1, 990, 2)
    run([beside, long])
    alone = Sequence(0, 0.0, 1, 101)
    run([alone])
    assert beside.last_token_s - alone.last_token_s == pytest.approx(0.990)


def test_a_prompt_that_finds_no_budget_waits_in_the_queue() -> None:
    long, short = Sequence(0, 0.0, 300, 2), Sequence(1, 0.005, 10, 2)
    run([long, short])
    assert short.scheduled_s == pytest.approx(3 * 0.110)


def test_a_third_request_waits_for_a_slot() -> None:
    first, second, third = (Sequence(i, 0.0, 10, n) for i, n in enumerate((5, 20, 2)))
    run([first, second, third])
    assert third.scheduled_s == pytest.approx(first.last_token_s)


def test_arrivals_elsewhere_do_not_change_what_a_replica_does() -> None:
    watched, plain = Sequence(0, 0.0, 250, 40), Sequence(0, 0.0, 250, 40)
    engine = replica()
    engine.submit(watched)
    for moment in np.arange(0.0, 1.0, 0.003):
        engine.advance(float(moment))
    engine.advance(math.inf)
    run([plain])
    assert watched.last_token_s == pytest.approx(plain.last_token_s)


@pytest.mark.parametrize("restarts", [(5.0,), ()], ids=["restart", "idle"])
def test_weights_are_loaded_after_a_restart_and_after_a_long_idle_time(restarts: tuple[float, ...]) -> None:
    engine = replica(restarts)
    warm = Sequence(0, 1.0, 10, 2)
    later = Sequence(1, 6.0 if restarts else 2.0 + IDLE_UNLOAD_S, 10, 2)
    run([warm, later], engine)
    assert (warm.cold, later.cold) == (False, True)
    assert LOAD_S[0] <= later.scheduled_s - later.arrival_s <= LOAD_S[1]
    assert later.instance == warm.instance + 1
