"""Changes around the model: no retries, a closer region."""

from __future__ import annotations

from dataclasses import dataclass

from budget_model.domain.hops import Hop
from budget_model.domain.whatif.tactic import check_share
from budget_model.domain.whatif.weighted import WeightedRequests


@dataclass(frozen=True, slots=True)
class NoRetries:
    """Failed attempts and back-off vanish."""

    @property
    def assumption(self) -> str:
        """The first attempt succeeds as the last did."""
        return "The first attempt would have gone as the successful one did."

    def apply(self, requests: WeightedRequests) -> WeightedRequests:
        """Retry time set to nothing."""
        return requests.scaled(Hop.RETRY, 0.0)


@dataclass(frozen=True, slots=True)
class CloserRegion:
    """Network time becomes ``factor`` times today's."""

    factor: float

    def __post_init__(self) -> None:
        check_share("network factor", self.factor)

    @property
    def assumption(self) -> str:
        """All transit shrinks alike."""
        return "All transit shrinks by the same factor; serving capacity in the closer region is the same."

    def apply(self, requests: WeightedRequests) -> WeightedRequests:
        """Network scaled by the factor."""
        return requests.scaled(Hop.NETWORK, self.factor)
