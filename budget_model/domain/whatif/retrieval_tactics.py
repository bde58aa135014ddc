"""Changes to retrieval: in parallel, or hedged by a second call."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from budget_model.domain.hops import Hop
from budget_model.domain.whatif.tactic import check_share
from budget_model.domain.whatif.weighted import WeightedRequests, weighted_quantile, weighted_quantiles
from budget_model.errors import BudgetError

MOST_DRAWN_ROWS = 2_000_000
"""Rows that second draws may add: of a large sample fewer draws a request say as much."""


@dataclass(frozen=True, slots=True)
class ParallelRetrieval:
    """Retrieval is split in two parts run side by side; the larger part takes ``larger_part`` of it."""

    larger_part: float

    def __post_init__(self) -> None:
        if not 0.5 <= self.larger_part <= 1:
            raise BudgetError(f"larger part {self.larger_part:g} is not accepted; give 0.5 to 1")

    @property
    def assumption(self) -> str:
        """Both parts share one cause of slowness."""
        return "Both parts slow down together, so their shares of the time stay the same."

    def apply(self, requests: WeightedRequests) -> WeightedRequests:
        """The maximum of the parts in place of their sum."""
        return requests.scaled(Hop.RETRIEVAL, self.larger_part)


@dataclass(frozen=True, slots=True)
class HedgedRetrieval:
    """A second retrieval is started when the first has lasted its own ``after_quantile``."""

    after_quantile: float
    draws: int = 200

    def __post_init__(self) -> None:
        check_share("hedge quantile", self.after_quantile)

    @property
    def assumption(self) -> str:
        """The second call is independent of the first."""
        return (
            f"The second call is independent of the first, at {1 - self.after_quantile:.0%} more calls. "
            "If slowness lies in the request or in shared load, the gain is 0."
        )

    def apply(self, requests: WeightedRequests) -> WeightedRequests:
        """Slow retrievals split over ``draws`` equally likely second calls; the first to end counts."""
        own = requests.hop(Hop.RETRIEVAL)
        delay = weighted_quantile(own, requests.weights, self.after_quantile)
        slow = own > delay
        draws = max(1, min(self.draws, MOST_DRAWN_ROWS // max(1, int(slow.sum()))))
        second = weighted_quantiles(own, requests.weights, (np.arange(draws) + 0.5) / draws)
        repeated = _repeat(requests, slow, draws)
        ended = np.minimum(repeated.hop(Hop.RETRIEVAL), delay + np.tile(second, int(slow.sum())))
        return _join(_keep(requests, ~slow), repeated.with_hop(Hop.RETRIEVAL, ended))


def _keep(requests: WeightedRequests, rows: np.typing.NDArray[np.bool_]) -> WeightedRequests:
    return WeightedRequests(requests.hops[rows], requests.weights[rows], requests.request[rows])


def _repeat(requests: WeightedRequests, rows: np.typing.NDArray[np.bool_], times: int) -> WeightedRequests:
    kept = _keep(requests, rows)
    return WeightedRequests(
        np.repeat(kept.hops, times, axis=0),
        np.repeat(kept.weights / times, times),
        np.repeat(kept.request, times),
    )


def _join(first: WeightedRequests, second: WeightedRequests) -> WeightedRequests:
    return WeightedRequests(
        np.concatenate((first.hops, second.hops)),
        np.concatenate((first.weights, second.weights)),
        np.concatenate((first.request, second.request)),
    )
