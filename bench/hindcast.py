"""Budgets held against what came after: derived on the first week, applied to the second.

For every workload and region, each rule turns a target into a limit on compute (prefill plus
decode). The second week's requests then get their compute scaled as the limit asks, everything else
as it was, and their e2e percentile is compared with the target. A rule is *tight* by how many times
faster it asked compute to be than the second week turned out to need for the target less headroom.

The last rule keeps the headroom that the first week's own uncertainty calls for, where that is more.
A control divides the same requests into every other one: there nothing but chance differs.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from bench.hindcast_log import read_log
from bench.table import show
from budget_model.domain.budget_question import Question, Sample, Values, hold
from budget_model.domain.compute_budget import compute_budgets
from budget_model.domain.headroom import recommended_headroom
from budget_model.domain.order_interval import minimum_n
from budget_model.domain.quantiles import quantile_of
from budget_model.domain.scaling import largest_scale
from budget_model.queries.engine import Engine
from budget_model.queries.filters import Filter
from budget_model.queries.joint_sample import joint_sample
from budget_model.queries.selection import select
from budget_model.services.demo import load_demo
from budget_model.services.engine_limits import limits_of
from budget_model.settings import load_settings
from budget_model.store.ledger import Ledger

ROOT = Path(__file__).parent.parent
LOG = ROOT / "data" / "samples" / "request_log" / "llm_requests.csv"
REACHES = (1.0, 0.8)
RULES = ("naive", "deterministic", "joint", "joint, advised headroom")
WEEK_US = 7 * 86_400_000_000
UNTIL = "2026-12-01T03:20:00+00:00"
HEADROOM = 0.1

Parts = tuple[Sample, Sample]
"""Requests a budget is derived from, and those it is held against."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one rule's limit did to the later requests; milliseconds.

    ``scale`` is the factor on compute that the limit asks for, None when the rule leaves compute no
    time at all. ``later_ms`` is the later e2e percentile at that scale; ``kept`` says that it is
    within the target, ``spared`` that it also left the headroom alone. ``tight`` is how many times
    faster than needed compute was asked to be: below 1 when the limit was too loose; None when no
    speed would have met the target later.
    """

    scale: float | None
    later_ms: float | None
    kept: bool
    spared: bool
    tight: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """One segment: sizes of both parts, the target, and what each rule did."""

    segment: str
    n: tuple[int, int]
    target_ms: float
    outcomes: dict[str, Outcome]


def hindcast(segment: str, before: Sample, after: Sample, q: float, reach: float) -> Row:
    """Derive on ``before``, apply to ``after``.

    The target less headroom is ``reach`` times the earlier e2e percentile q: below 1 asks for a
    shorter tail than was measured.
    """
    effective_us = reach * quantile_of(before.totals(), q)
    question = Question(round(effective_us / (1 - HEADROOM)), q, HEADROOM)
    held = hold(after, {})
    needed = largest_scale(held.overhead, held.compute, question.effective_us, q)
    outcomes: dict[str, Outcome] = {}
    for rule, scale in _scales(before, question).items():
        if scale is None:
            outcomes[rule] = Outcome(None, None, kept=False, spared=False, tight=None)
            continue
        later = quantile_of(held.overhead + scale * held.compute, q)
        outcomes[rule] = Outcome(
            scale,
            later / 1000,
            kept=later <= question.target_us,
            spared=later <= question.effective_us,
            tight=needed / scale if needed > 0 else None,
        )
    return Row(segment, (before.n, after.n), question.target_us / 1000, outcomes)


def _scales(before: Sample, question: Question) -> dict[str, float | None]:
    """The factor on compute that each of ``RULES`` asks for; None when it leaves compute no time."""
    advised = recommended_headroom(before.totals(), question.q) or 0.0
    careful = Question(question.target_us, question.q, max(HEADROOM, advised))
    budgets, with_advised = compute_budgets(before, question), compute_budgets(before, careful)
    limits = (budgets.naive_us, budgets.deterministic_us, budgets.joint_us, with_advised.joint_us)
    return {
        rule: None if limit is None or limit <= 0 else limit / budgets.compute_quantile_us
        for rule, limit in zip(RULES, limits, strict=True)
    }


def demo_parts(requests: int, q: float) -> tuple[dict[str, Parts], dict[str, Parts]]:
    """Workloads and regions of the demo with enough requests: by week, and as the control divides them."""
    until_us = int(datetime.fromisoformat(UNTIL).timestamp()) * 1_000_000
    with tempfile.TemporaryDirectory(prefix="tailbudget-hindcast-") as folder:
        settings = load_settings(Path(folder), {})
        load_demo(settings, requests=requests, until_us=until_us)
        ledger = Ledger(settings)
        try:
            engine = Engine(ledger, limits_of(settings))
            weeks = dict(_weeks(engine, until_us, q))
        finally:
            ledger.close()
    control = {
        name: every_other(np.concatenate([part.hops for part in pair])) for name, pair in weeks.items()
    }
    return weeks, control


def _weeks(engine: Engine, until_us: int, q: float) -> Iterator[tuple[str, Parts]]:
    table, middle = engine.table(), until_us - WEEK_US
    for workload in table.dimensions["workload"].labels:
        for region in table.dimensions["region"].labels:
            chosen = Filter(workload=(workload,), region=(region,))
            before = joint_sample(select(table, chosen.with_times(until_us - 2 * WEEK_US, middle)))
            after = joint_sample(select(table, chosen.with_times(middle, until_us + 1)))
            if min(before.n, after.n) >= minimum_n(q, two_sided=False):
                yield f"{workload}, {region}", (before, after)


def log_parts(path: Path) -> dict[str, Parts]:
    """A request log that tells the first token and the end, divided in two ways."""
    hops = read_log(path)
    middle = len(hops) // 2
    return {
        "first half, second half": (_sample(hops[:middle]), _sample(hops[middle:])),
        "every other request": every_other(hops),
    }


def every_other(hops: Values) -> Parts:
    """Requests in turn into one part and the other."""
    return _sample(hops[::2]), _sample(hops[1::2])


def _sample(hops: Values) -> Sample:
    return Sample(hops, np.full(hops.shape[1], len(hops)))


def print_rows(title: str, parts: dict[str, Parts], q: float, reach: float) -> None:
    """A line per segment, then how often each rule kept the target and how tight it was."""
    rows = [hindcast(name, *pair, q, reach) for name, pair in parts.items()]
    cells = [
        (
            row.segment,
            f"{row.n[0]:,}, {row.n[1]:,}",
            f"{row.target_ms / 1000:.2f}",
            *map(_cell, row.outcomes.values()),
        )
        for row in rows
    ]
    summary = [
        (words, "", "", *(line([row.outcomes[rule] for row in rows]) for rule in RULES))
        for words, line in SUMMARY.items()
    ]
    title = f"{title}, p{q * 100:g}, target less headroom {reach:.0%} of the earlier p{q * 100:g}"
    show(title, ("segment", "n then, later", "target, s", *RULES), [cells, summary])


def _share(outcomes: list[Outcome], chosen: Callable[[Outcome], bool]) -> str:
    return f"{sum(map(chosen, outcomes))} of {len(outcomes)}"


def _median_tight(outcomes: list[Outcome]) -> str:
    tight = [outcome.tight for outcome in outcomes if outcome.tight is not None]
    return f"{statistics.median(tight):.2f} x" if tight else "-"


SUMMARY: dict[str, Callable[[list[Outcome]], str]] = {
    "target kept": lambda outcomes: _share(outcomes, lambda one: one.kept),
    "headroom left alone": lambda outcomes: _share(outcomes, lambda one: one.spared),
    "called impossible": lambda outcomes: _share(outcomes, lambda one: one.scale is None),
    "median tightness": _median_tight,
}


def _cell(outcome: Outcome) -> str:
    if outcome.scale is None or outcome.later_ms is None:
        return "impossible"
    words = "kept" if outcome.spared else "headroom used" if outcome.kept else "MISSED"
    tight = "-" if outcome.tight is None else f"{outcome.tight:.2f} x"
    return f"{words} {outcome.later_ms / 1000:.2f}; {tight}"


def main() -> None:
    """Hold the demo and the bundled request log against their own later parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=40_000)
    options = parser.parse_args()
    print(f"loading a demo of {options.requests:,} requests", file=sys.stderr)
    weeks, control = demo_parts(options.requests, 0.99)
    for reach in REACHES:
        print_rows("Demo, week 1 for week 2", weeks, 0.99, reach)
        print_rows("Demo, every other request for the rest", control, 0.99, reach)
        print_rows(f"Recorded file {LOG.name}", log_parts(LOG), 0.95, reach)


if __name__ == "__main__":
    main()
