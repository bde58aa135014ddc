"""A budget held against traffic: e2e and every line, each with a three-state verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from budget_model.domain.budget import Budget
from budget_model.domain.budget_question import HOP_INDEX, Sample
from budget_model.domain.error_budget import ErrorBudget
from budget_model.domain.hops import Hop
from budget_model.domain.verdict import Decision, Verdict, decide
from budget_model.queries.engine import Engine
from budget_model.queries.filters import Filter
from budget_model.queries.joint_sample import joint_sample
from budget_model.queries.results import Waterfall
from budget_model.queries.selection import select
from budget_model.queries.waterfall import waterfall
from budget_model.services.allocation_notes import NEVER_MISSED
from budget_model.services.engine_limits import limits_of
from budget_model.services.importing import import_files
from budget_model.settings import Settings
from budget_model.store.ledger import Ledger


@dataclass(frozen=True, slots=True)
class LineCheck:
    """One hop: its line and bar, and the verdict on its own-percentile guard limit.

    A hop that none of the requests recorded has no bar and an undecided verdict of 0 requests: not
    seen is not fast.
    """

    hop: str
    line_ms: float
    bar_ms: float | None
    guard_limit_ms: float
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Check:
    """A budget against one set of requests. Failures count as bad for e2e.

    ``rejected`` are records of the checked file that could not be read and are in no figure.
    """

    budget: Budget
    observed: Waterfall
    e2e: Verdict
    lines: tuple[LineCheck, ...]
    rejected: int = 0

    @property
    def decision(self) -> Decision:
        """The e2e verdict decides; lines say where to look."""
        return self.e2e.decision

    @property
    def error_budget(self) -> ErrorBudget:
        """What is left of the bad requests that the objective allows."""
        return ErrorBudget(self.budget.content.q, self.e2e.n, self.e2e.bad)


def check_budget(engine: Engine, budget: Budget, chosen: Filter) -> Check:
    """Judge the requests under ``chosen`` by a budget's target and guard limits."""
    selection = select(engine.table(), chosen)
    content = budget.content
    totals = selection.sample("e2e_us")
    late = int(np.count_nonzero(totals.values > content.target_us))
    observed = waterfall(selection, content.q)
    e2e = decide(totals.n + selection.failed, late + selection.failed, content.q)
    return Check(budget, observed, e2e, _lines(budget, observed, joint_sample(selection)))


def _lines(budget: Budget, observed: Waterfall, sample: Sample) -> tuple[LineCheck, ...]:
    limits, bars = budget.content.guard_limits_us, {bar.hop: bar.ms for bar in observed.bars}
    return tuple(
        LineCheck(
            hop=line.name,
            line_ms=line.us / 1000,
            bar_ms=bars.get(line.name),
            guard_limit_ms=limits[line.name] / 1000,
            verdict=_own_verdict(sample, Hop(line.name), limits[line.name], budget.content.q),
        )
        for line in budget.content.lines
        if line.name in limits
    )


def _own_verdict(sample: Sample, hop: Hop, limit_us: float, q: float) -> Verdict:
    seen = sample.n if hop in NEVER_MISSED or sample.is_recorded(hop) else 0
    over = int(np.count_nonzero(sample.hops[:, HOP_INDEX[hop]] > limit_us))
    return decide(seen, over, q)


def check_file(settings: Settings, scratch: Path, budget: Budget, file: Path) -> Check:
    """Judge the requests of one file, whatever segment they carry, imported into ``scratch`` alone.

    The home's own data is not touched. Raises SourceError for a file that cannot be read.
    """
    apart = replace(settings, home=scratch, database_url=f"sqlite:///{scratch}/ledger.db")
    report = import_files(apart, [file])
    for failure in report.failures:
        raise failure.error
    ledger = Ledger(apart)
    try:
        engine = Engine(ledger, limits_of(apart))
        chosen = Filter(load_test=engine.table().dimensions["load_test"].labels)
        return replace(check_budget(engine, budget, chosen), rejected=report.totals.rejected)
    finally:
        ledger.close()
