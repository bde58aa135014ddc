"""A target for a segment of traffic, answered with budget lines, tokens and what to be wary of."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from budget_model.domain.allocation import Allocation, SplitRule, allocate
from budget_model.domain.budget_question import Question, Sample
from budget_model.domain.failures import share_of_ok
from budget_model.domain.frontier import FrontierPoint, frontier
from budget_model.domain.headroom import recommended_headroom
from budget_model.domain.strategies import Strategy
from budget_model.domain.token_limits import TokenRow
from budget_model.queries.engine import Engine
from budget_model.queries.filters import Filter
from budget_model.queries.joint_sample import joint_sample, token_facts
from budget_model.queries.pool import spread
from budget_model.queries.results import QuantileEstimate, Waterfall
from budget_model.queries.selection import Selection, select
from budget_model.queries.waterfall import waterfall
from budget_model.services.allocation_notes import refusals_of, warnings_of
from budget_model.services.attainment import Attainment, attainment
from budget_model.services.token_table import BucketSpeed, bucket_speeds, bucket_times, token_table

RANKING = frozenset({Strategy.EQUAL_EXCEEDANCE, Strategy.JOINT_COVERAGE})
"""Strategies that ask for the rank of every hop time."""

RANKED_AHEAD = 4_000_000
"""Most requests that hops are ranked for before anybody asked: it takes 120 bytes a request."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the allocator answers. ``allocation`` is None when no honest budget can be given.

    ``refusals`` say why there is none; ``warnings`` are to be read beside a budget that exists.
    ``estimate`` and ``observed`` are of ok requests at the percentile asked for. ``allocation`` counts
    each failed request as slower than any target, so where some failed its question and its quantiles
    stand at a higher quantile of the ok ones.
    """

    question: Question
    estimate: QuantileEstimate
    observed: Waterfall
    n: int
    failed: int
    allocation: Allocation | None
    tokens: tuple[TokenRow, ...]
    refusals: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def feasible(self) -> bool:
        """Whether there are lines that keep the target."""
        return self.allocation is not None and self.allocation.infeasible is None


class Allocator:
    """Answers budget questions from the loaded generation; thread-safe."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def propose(self, chosen: Filter, question: Question, rule: SplitRule | None = None) -> Proposal:
        """Lines, tokens and warnings for one question about the requests under a filter.

        Raises BudgetError for a rule that lacks what it needs.
        """
        selection = select(self._engine.table(), chosen)
        observed = waterfall(selection, question.q, own_quantiles=False)
        sample = joint_sample(selection)
        if rule is not None and rule.strategy in RANKING:
            sample.ranked(spread)
        refusals = refusals_of(sample, observed, question)
        allocation = None if refusals else _allocated(selection, question, rule)
        return Proposal(
            question=question,
            estimate=observed.estimate,
            observed=observed,
            n=observed.n,
            failed=observed.failed,
            allocation=allocation,
            tokens=token_table(_speeds(selection, question.q), allocation) if allocation else (),
            refusals=refusals,
            warnings=warnings_of(sample, observed, allocation),
        )

    def prepare(self, chosen: Filter) -> Future[None]:
        """Begin to rank the hops under a filter, so that questions still to come are answered sooner.

        The work is done on one core, beside the questions asked meanwhile, and once for a selection;
        a selection too large to keep it for is left alone.
        """
        sample = joint_sample(select(self._engine.table(), chosen))
        return _background().submit(_rank, sample if sample.n <= RANKED_AHEAD else None)

    def attainment(self, chosen: Filter, target_us: int) -> Attainment:
        """How much of the traffic under a filter is inside a target; failures are outside."""
        return attainment(select(self._engine.table(), chosen), target_us)

    def frontier(
        self, chosen: Filter, question: Question, prefill_scales: Sequence[float]
    ) -> tuple[FrontierPoint, ...]:
        """For each factor on today's prefill time, the largest factor on decode that meets the target.

        Factors with no solution are left out; without a finished request there is none.
        """
        selection = select(self._engine.table(), chosen)
        sample, held = joint_sample(selection), with_failures(question, selection)
        if not sample.n or held is None:
            return ()
        return frontier(sample, held, np.asarray(prefill_scales, np.float64))


def with_failures(question: Question, selection: Selection) -> Question | None:
    """The question as ok requests must answer it; None where failures leave its percentile unbounded."""
    n = joint_sample(selection).n
    share = share_of_ok(question.q, n, selection.failed) if n else None
    return None if share is None else replace(question, q=share)


def _allocated(selection: Selection, question: Question, rule: SplitRule | None) -> Allocation | None:
    sample, held, failed = joint_sample(selection), with_failures(question, selection), selection.failed
    if held is None:
        return None
    allocation = allocate(sample, held, rule)
    if failed == 0:
        return allocation
    return replace(allocation, recommended_headroom=_headroom(sample, question.q, failed))


def _headroom(sample: Sample, q: float, failed: int) -> float | None:
    key = ("headroom", q, failed)
    return sample.remembered(key, lambda: recommended_headroom(sample.totals(), q, failed))


@cache
def _background() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="prepare")


def _rank(sample: Sample | None) -> None:
    if sample is not None:
        sample.ranked()


def _speeds(selection: Selection, q: float) -> tuple[BucketSpeed, ...]:
    key = ("bucket speeds", q)
    if "bucket times" not in selection.memo:
        selection.memo["bucket times"] = bucket_times(token_facts(selection))
    if key not in selection.memo:
        selection.memo[key] = bucket_speeds(selection.memo["bucket times"], q)
    speeds: tuple[BucketSpeed, ...] = selection.memo[key]
    return speeds
