"""Changes to how long answers are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from budget_model.domain.hops import Hop
from budget_model.domain.quantiles import percentile_name
from budget_model.domain.whatif.tactic import check_share
from budget_model.domain.whatif.weighted import WeightedRequests, weighted_quantile


@dataclass(frozen=True, slots=True)
class OutputCap:
    """No answer decodes longer than the longest that ``quantile`` of today's do."""

    quantile: float

    def __post_init__(self) -> None:
        check_share("output cap quantile", self.quantile)

    @property
    def assumption(self) -> str:
        """Longer answers are cut."""
        limit = percentile_name(self.quantile)
        return f"Answers above {limit} of decode time are cut there; users get less text."

    def apply(self, requests: WeightedRequests) -> WeightedRequests:
        """Decode capped at its own quantile."""
        decode = requests.hop(Hop.DECODE)
        cap = weighted_quantile(decode, requests.weights, self.quantile)
        return requests.with_hop(Hop.DECODE, np.minimum(decode, cap))


@dataclass(frozen=True, slots=True)
class ShorterOutputs:
    """Every answer has ``factor`` times today's tokens."""

    factor: float

    def __post_init__(self) -> None:
        check_share("answer length factor", self.factor)

    @property
    def assumption(self) -> str:
        """Decode time falls in proportion."""
        return "Decode time is proportional to answer length, for long and short answers alike."

    def apply(self, requests: WeightedRequests) -> WeightedRequests:
        """Decode scaled by the factor."""
        return requests.scaled(Hop.DECODE, self.factor)
