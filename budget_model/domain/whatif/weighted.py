"""Requests with weights: random tactics split a request into weighted rows instead of drawing lots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.budget_question import HOP_INDEX
from budget_model.domain.hops import Hop
from budget_model.domain.tail import WINDOW_SHARE, tail_bars

Values = NDArray[np.float64]

SLACK = 1e-9
"""Relative slack on cumulated weights, against float noise at the rank asked for."""


@dataclass(frozen=True, slots=True)
class WeightedRequests:
    """Hop times in microseconds, shape (m, 10), the weight of each row and the request it came from.

    Rows that come from one request have weights that add to 1.
    """

    hops: Values
    weights: Values
    request: NDArray[np.int64]

    def hop(self, hop: Hop) -> Values:
        """The column of one hop, shape (m,)."""
        column: Values = self.hops[:, HOP_INDEX[hop]]
        return column

    def with_hop(self, hop: Hop, values: Values) -> WeightedRequests:
        """A copy in which one hop takes ``values``, shape (m,)."""
        hops = self.hops.copy()
        hops[:, HOP_INDEX[hop]] = values
        return WeightedRequests(hops, self.weights, self.request)

    def scaled(self, hop: Hop, factor: float | Values) -> WeightedRequests:
        """A copy in which one hop takes ``factor`` times as long."""
        return self.with_hop(hop, self.hop(hop) * factor)

    def totals(self) -> Values:
        """End-to-end time of every row, shape (m,)."""
        sums: Values = self.hops.sum(axis=1)
        return sums


def unweighted(hops: Values) -> WeightedRequests:
    """Measured requests, shape (n, 10), each of weight 1."""
    n = hops.shape[0]
    return WeightedRequests(hops, np.ones(n), np.arange(n))


def blend(first: WeightedRequests, second: WeightedRequests, share: float) -> WeightedRequests:
    """Every request with probability ``share`` as in ``second``, else as in ``first``."""
    if share <= 0:
        return first
    if share >= 1:
        return second
    return WeightedRequests(
        np.concatenate((first.hops, second.hops)),
        np.concatenate((first.weights * (1 - share), second.weights * share)),
        np.concatenate((first.request, second.request)),
    )


def weighted_quantile(totals: Values, weights: Values, q: float) -> float:
    """The smallest total whose cumulated weight reaches q of all weight."""
    return float(weighted_quantiles(totals, weights, np.array([q]))[0])


def weighted_quantiles(totals: Values, weights: Values, qs: Values) -> Values:
    """The weighted quantile at each of ``qs``, shape (len(qs),)."""
    order = np.argsort(totals, kind="stable")
    cumulated = np.cumsum(weights[order])
    found: Values = totals[order[[_position(cumulated, q) for q in qs.tolist()]]]
    return found


def weighted_bars(requests: WeightedRequests, q: float) -> Values:
    """Hop bars that add to the weighted quantile q: the mean vector around its weight rank, rescaled."""
    totals = requests.totals()
    order = np.argsort(totals, kind="stable")
    cumulated = np.cumsum(requests.weights[order])
    at = _position(cumulated, q)
    reach = WINDOW_SHARE * cumulated[-1]
    reach = min(reach, cumulated[-1] - cumulated[at], cumulated[at])
    low = int(np.searchsorted(cumulated, cumulated[at] - reach, side="left"))
    high = int(np.searchsorted(cumulated, cumulated[at] + reach, side="right"))
    rows = order[min(low, at) : max(high, at + 1)]
    mean = np.average(requests.hops[rows], axis=0, weights=requests.weights[rows])
    return tail_bars(mean[np.newaxis, :], float(totals[order[at]])).bars


def _position(cumulated: Values, q: float) -> int:
    wanted = q * cumulated[-1] * (1 - SLACK)
    return min(int(np.searchsorted(cumulated, wanted, side="left")), cumulated.size - 1)
