"""What would buy the most: tactics tried on measured requests, with their effect and its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from budget_model.domain.budget_question import Sample
from budget_model.domain.hops import HOPS
from budget_model.domain.order_interval import minimum_n
from budget_model.domain.whatif.interval import paired_difference
from budget_model.domain.whatif.presets import PRESETS, Preset
from budget_model.domain.whatif.retrieval_tactics import HedgedRetrieval
from budget_model.domain.whatif.tactic import Tactic
from budget_model.domain.whatif.weighted import (
    Values,
    WeightedRequests,
    unweighted,
    weighted_bars,
    weighted_quantile,
)
from budget_model.errors import BudgetError
from budget_model.queries.engine import Engine
from budget_model.queries.filters import Filter
from budget_model.queries.joint_sample import joint_sample
from budget_model.queries.selection import select

BLOCKS = 20
MIN_N_FOR_INTERVAL = 1000
MOST_ROWS = 4_000_000
SEED = 2024


@dataclass(frozen=True, slots=True)
class Effect:
    """What a stack of tactics does to one percentile; milliseconds. Lower is better.

    ``interval_ms`` is a 95 % interval of ``change_ms``; None below ``least_n`` requests, which is more
    the further out the percentile lies. ``dependent_ms`` is ``after_ms`` if a hedged call were as slow
    as the one it hedges, so that hedging gains nothing: the other bound. None when nothing is hedged.
    """

    tactics: tuple[Tactic, ...]
    n: int
    before_ms: float
    after_ms: float
    interval_ms: tuple[float, float] | None
    bars_before_ms: dict[str, float]
    bars_after_ms: dict[str, float]
    dependent_ms: float | None = None
    least_n: int = MIN_N_FOR_INTERVAL

    @property
    def change_ms(self) -> float:
        """After less before."""
        return self.after_ms - self.before_ms


class WhatIf:
    """Tries changes on the loaded generation; thread-safe."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def effect(self, chosen: Filter, q: float, tactics: Sequence[Tactic]) -> Effect:
        """The effect of ``tactics``, applied in order, on the e2e percentile q under a filter.

        Raises BudgetError without requests, or when the stack would need too many weighted rows.
        """
        sample = joint_sample(select(self._engine.table(), chosen))
        if sample.n == 0:
            raise BudgetError("no finished request under this filter: there is nothing to change")
        before = unweighted(sample.hops)
        found = _effect(sample, before, _apply(before, tactics), tuple(tactics), q)
        unhedged = [one for one in tactics if not isinstance(one, HedgedRetrieval)]
        if len(unhedged) == len(tactics):
            return found
        dependent = _apply(before, unhedged)
        return replace(found, dependent_ms=_quantile_ms(dependent, q))

    def ranked(
        self, chosen: Filter, q: float, presets: Sequence[Preset] = PRESETS
    ) -> list[tuple[Preset, Effect]]:
        """Each preset on its own, the one that buys the most first; equal ones in the order given."""
        tried = [(preset, self.effect(chosen, q, (preset.tactic,))) for preset in presets]
        return sorted(tried, key=lambda pair: pair[1].change_ms)


def least_n_for_interval(q: float) -> int:
    """Fewest requests for an interval: with fewer, the percentile q (0 < q < 1) has an unknown bound."""
    return max(MIN_N_FOR_INTERVAL, minimum_n(max(q, 1 - q)))


def _apply(requests: WeightedRequests, tactics: Sequence[Tactic]) -> WeightedRequests:
    for tactic in tactics:
        requests = tactic.apply(requests)
        if requests.weights.size > MOST_ROWS:
            raise BudgetError(
                "these tactics together need too many weighted rows; narrow the filter or try fewer at once"
            )
    return requests


def _effect(
    sample: Sample, before: WeightedRequests, after: WeightedRequests, tactics: tuple[Tactic, ...], q: float
) -> Effect:
    interval, least_n = None, least_n_for_interval(q)
    if sample.n >= least_n:
        low, high = paired_difference(_side(before, sample.n), _side(after, sample.n), q, seed=SEED)
        interval = (low / 1000, high / 1000)
    return Effect(
        tactics=tactics,
        n=sample.n,
        before_ms=_quantile_ms(before, q),
        after_ms=_quantile_ms(after, q),
        interval_ms=interval,
        bars_before_ms=_bars(before, q),
        bars_after_ms=_bars(after, q),
        least_n=least_n,
    )


def _quantile_ms(requests: WeightedRequests, q: float) -> float:
    return weighted_quantile(requests.totals(), requests.weights, q) / 1000


def _side(requests: WeightedRequests, n: int) -> tuple[Values, Values, np.typing.NDArray[np.int64]]:
    # The sample is in time order, so equal cuts of it are blocks of time.
    block = requests.request * BLOCKS // n
    return requests.totals(), requests.weights, block


def _bars(requests: WeightedRequests, q: float) -> dict[str, float]:
    bars = weighted_bars(requests, q) / 1000
    return {str(hop): float(bar) for hop, bar in zip(HOPS, bars, strict=True)}
