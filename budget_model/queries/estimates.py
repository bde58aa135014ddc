"""One percentile of one metric, with n, effective n, interval and grade."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.design_effect import DesignEffect, design_effect
from budget_model.domain.grade import grade
from budget_model.domain.order_interval import effective_rank_interval
from budget_model.domain.quantiles import quantile
from budget_model.queries.results import Interval, QuantileEstimate
from budget_model.queries.selection import Sample, Selection
from budget_model.units import us_to_ms

USUAL_QUANTILES: tuple[float, ...] = (0.5, 0.95, 0.99)
"""Worked out together whenever a column is sorted for any of them."""


def no_estimate(q: float) -> QuantileEstimate:
    """The answer when there is no value at all."""
    return QuantileEstimate(q, None, Interval(None, None), 0, 0, 0, "-")


def estimate(sample: Sample, q: float) -> QuantileEstimate:
    """The nearest-rank quantile of a sample with its distribution-free 95 % interval."""
    if not sample.n:
        return no_estimate(q)
    value = quantile(sample.ordered, q)
    return described(sample, q, value, design_effect(sample.values[: sample.timed], value, sample.n))


def described(sample: Sample, q: float, value: int, effect: DesignEffect) -> QuantileEstimate:
    """The estimate for a value already found and an effective n already known."""
    ranks = effective_rank_interval(sample.n, effect.n_eff, q)
    low, high = _at(sample.ordered, ranks.low), _at(sample.ordered, ranks.high)
    letter = grade(value, low, high, effect.n_eff, q)
    interval = Interval(us_to_ms(low), us_to_ms(high))
    return QuantileEstimate(q, us_to_ms(value), interval, sample.n, effect.n_eff, effect.blocks, letter)


def estimates(selection: Selection, column: str, qs: tuple[float, ...]) -> tuple[QuantileEstimate, ...]:
    """Percentiles of a column over the selection's ok requests; the usual ones are kept."""
    if any(("estimate", column, q) not in selection.memo for q in qs):
        sample = selection.sample(column)
        selection.memo["missing", column] = sample.missing
        for q in {*qs, *USUAL_QUANTILES}:
            selection.memo["estimate", column, q] = estimate(sample, q)
    return tuple(selection.memo["estimate", column, q] for q in qs)


def missing(selection: Selection, column: str) -> int:
    """Ok requests of the selection without a value in the column."""
    if ("missing", column) not in selection.memo:
        present = np.count_nonzero(selection.table.numbers[column][selection.ok] >= 0)
        selection.memo["missing", column] = len(selection.ok) - int(present)
    count: int = selection.memo["missing", column]
    return count


def _at(ordered: NDArray[Any], rank: int | None) -> int | None:
    return None if rank is None else int(ordered[rank - 1])
