"""Server time of the allocator's redraws on a million requests: the whole answer behind each control.

The page has been opened and what it prepares in the background is done; then every control is moved
for the first time, so that nothing but that preparation is remembered.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from bench.query_bench import AIM_MS, THREADS, timed_ms, unseen
from bench.request_table import write_requests
from bench.table import show
from budget_model.domain.allocation import SplitRule
from budget_model.domain.budget_question import Question
from budget_model.domain.hops import Hop
from budget_model.domain.strategies import Strategy
from budget_model.queries.engine import Engine, Limits
from budget_model.queries.filters import Filter
from budget_model.services.allocating import Allocator
from budget_model.settings import DEFAULT_BUCKET_EDGES

SCALES = tuple(np.linspace(0.0, 2.0, 41).tolist())
OPENED = Question(9_000_000, 0.99, 0.1)
EULER = SplitRule()


def moves() -> Iterator[tuple[str, Question, SplitRule]]:
    """One control moved at a time, each to a value not asked before."""
    yield "target", replace(OPENED, target_us=8_000_000), EULER
    yield "headroom", replace(OPENED, headroom=0.05), EULER
    yield "percentile p95", replace(OPENED, q=0.95), EULER
    yield "percentile p99.9", replace(OPENED, q=0.999, target_us=16_000_000), EULER
    yield "lock retrieval", replace(OPENED, locks={Hop.RETRIEVAL: 400_000}), EULER
    yield "lock prefill", replace(OPENED, locks={Hop.PREFILL: 700_000}), EULER
    for strategy in (Strategy.EQUAL_EXCEEDANCE, Strategy.JOINT_COVERAGE, Strategy.PROPORTIONAL):
        yield str(strategy), replace(OPENED, target_us=40_000_000), SplitRule(strategy)
    yield str(Strategy.COST_MINIMAL), OPENED, SplitRule(Strategy.COST_MINIMAL, cost_weights=(1.0, 4.0))
    yield str(Strategy.TOKEN_NEED), OPENED, SplitRule(Strategy.TOKEN_NEED, decode_us=3_000_000.0)


def redraw(allocator: Allocator, chosen: Filter, question: Question, rule: SplitRule) -> float:
    """Wall milliseconds of everything the page asks for when a control moved."""

    def ask() -> None:
        allocator.propose(chosen, question, rule)
        allocator.attainment(chosen, question.target_us)
        allocator.frontier(chosen, question, SCALES)

    return timed_ms(ask)


def measure(engine: Engine, rounds: int) -> dict[str, float]:
    """Median milliseconds of each redraw."""
    allocator, times = Allocator(engine), dict[str, list[float]]()
    for number in range(rounds):
        for name, question, rule in moves():
            fresh = unseen(Filter(), number)
            engine.table().selections.clear()
            times.setdefault("opening the page", []).append(redraw(allocator, fresh, OPENED, EULER))
            ready = timed_ms(allocator.prepare(fresh).result)
            times.setdefault("prepared meanwhile, on one core", []).append(ready)
            times.setdefault(name, []).append(redraw(allocator, fresh, question, rule))
    return {name: statistics.median(found) for name, found in times.items()}


def main() -> None:
    """Make the table, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        catalog = write_requests(Path(folder), options.requests)
        engine = Engine(catalog, Limits(Path(folder), THREADS, 4096, DEFAULT_BUCKET_EDGES))
        engine.table()
        rows = [(name, f"{ms:.0f}") for name, ms in measure(engine, options.rounds).items()]
        title = f"Allocator redraws: {options.requests:,} requests, median ms of {options.rounds} rounds"
        caption = f"aim: under {AIM_MS} ms for every control that is moved"
        show(title, ("control", "ms"), [rows], caption=caption)


if __name__ == "__main__":
    main()
