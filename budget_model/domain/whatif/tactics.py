"""The changes that can be tried. Each says in words what it assumes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np

from budget_model.domain.hops import Hop
from budget_model.domain.whatif.weighted import WeightedRequests, blend, weighted_quantile, weighted_quantiles
from budget_model.errors import BudgetError

MOST_DRAWN_ROWS = 2_000_000
"""Rows that second draws may add: of a large sample fewer draws a request say as much."""

QUEUE_HELD = "The queue is kept as observed; with less work ahead of a request it would shrink too."


class Tactic(Protocol):
    """One change to how requests are served."""

    @property
    def assumption(self) -> str:
        """What must be true for the effect to be had, in a sentence or two."""

    def apply(self, requests: WeightedRequests) -> WeightedRequests:
        """The requests after the change."""


@dataclass(frozen=True, slots=True)
class PromptCache:
    """A share of requests finds its prompt prefix cached and is prefilled ``speedup`` times faster."""

    hit_share: float
    speedup: float

    def __post_init__(self) -> None:
        _share("cache hit share", self.hit_share)
        _factor("cache speed-up", self.speedup)

    @property
    def assumption(self) -> str:
        """Hits are independent of prompt length."""
        return f"A hit is as likely for long prompts as for short ones. {QUEUE_HELD}"

    def apply(self, requests: WeightedRequests) -> WeightedRequests:
        """Prefill divided by the speed-up with probability ``hit_share``."""
        return blend(requests, requests.scaled(Hop.PREFILL, 1 / self.speedup), self.hit_share)


@dataclass(frozen=True, slots=True)
class SpeculativeDecoding:
    """Decode runs ``speedup`` times faster on every request."""

    speedup: float

    def __post_init__(self) -> None:
        _factor("decode speed-up", self.speedup)

    @property
    def assumption(self) -> str:
        """One speed-up for all loads."""
        return f"The speed-up is the same at every batch size; really it falls as batches grow. {QUEUE_HELD}"

    def apply(self, requests: WeightedRequests) -> WeightedRequests:
        """Decode divided by the speed-up."""
        return requests.scaled(Hop.DECODE, 1 / self.speedup)


class RouteRule(StrEnum):
    """Which requests go to the smaller model."""

    RANDOM = "random"
    SHORTEST = "shortest"
    LONGEST = "longest"


@dataclass(frozen=True, slots=True)
class SmallerModel:
    """A share of requests, chosen by rule on decode time, goes to a faster model."""

    share: float
    rule: RouteRule
    prefill_factor: float = 0.3
    decode_factor: float = 0.4

    def __post_init__(self) -> None:
        _share("routed share", self.share)
        _share("prefill factor", self.prefill_factor)
        _share("decode factor", self.decode_factor)

    @property
    def assumption(self) -> str:
        """The rule decides whether the tail moves at all."""
        chosen = {
            RouteRule.RANDOM: "Requests are routed by chance, whatever their length.",
            RouteRule.SHORTEST: "Requests with the shortest answers are routed: they are not the tail.",
            RouteRule.LONGEST: "Requests with the longest answers are routed, as if known beforehand.",
        }
        return f"{chosen[self.rule]} {QUEUE_HELD}"

    def apply(self, requests: WeightedRequests) -> WeightedRequests:
        """Prefill and decode scaled for the routed requests."""
        faster = requests.scaled(Hop.PREFILL, self.prefill_factor).scaled(Hop.DECODE, self.decode_factor)
        if self.rule is RouteRule.RANDOM:
            return blend(requests, faster, self.share)
        decode = requests.hop(Hop.DECODE)
        order = np.argsort(decode if self.rule is RouteRule.SHORTEST else -decode, kind="stable")
        cumulated = np.cumsum(requests.weights[order])
        routed = np.zeros(order.size, dtype=bool)
        routed[order] = cumulated <= self.share * cumulated[-1] + 1e-6
        hops = np.where(routed[:, np.newaxis], faster.hops, requests.hops)
        return WeightedRequests(hops, requests.weights, requests.request)


@dataclass(frozen=True, slots=True)
class OutputCap:
    """No answer decodes longer than the longest that ``quantile`` of today's do."""

    quantile: float

    def __post_init__(self) -> None:
        _share("output cap quantile", self.quantile)

    @property
    def assumption(self) -> str:
        """Longer answers are cut."""
        return f"Answers above p{self.quantile * 100:g} of decode time are cut there; users get less text."

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
        _share("answer length factor", self.factor)

    @property
    def assumption(self) -> str:
        """Decode time falls in proportion."""
        return "Decode time is proportional to answer length, for long and short answers alike."

    def apply(self, requests: WeightedRequests) -> WeightedRequests:
        """Decode scaled by the factor."""
        return requests.scaled(Hop.DECODE, self.factor)


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
        _share("hedge quantile", self.after_quantile)

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
        _share("network factor", self.factor)

    @property
    def assumption(self) -> str:
        """All transit shrinks alike."""
        return "All transit shrinks by the same factor; serving capacity in the closer region is the same."

    def apply(self, requests: WeightedRequests) -> WeightedRequests:
        """Network scaled by the factor."""
        return requests.scaled(Hop.NETWORK, self.factor)


def speculative_speedup(acceptance: float, guesses: int, draft_cost: float) -> tuple[float, float]:
    """Tokens per step and speed-up of speculative decoding (Leviathan et al., ICML 2023).

    ``acceptance`` a in (0, 1), ``guesses`` g >= 1 tokens drafted a step, ``draft_cost`` c >= 0 of a
    draft step relative to a model step: tokens = (1 - a^(g+1)) / (1 - a), speed-up = tokens / (g c + 1).
    """
    tokens = (1 - math.pow(acceptance, guesses + 1)) / (1 - acceptance)
    return tokens, tokens / (guesses * draft_cost + 1)


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


def _share(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise BudgetError(f"{name} {value:g} is not accepted; give 0 to 1")


def _factor(name: str, value: float) -> None:
    if not value >= 1:
        raise BudgetError(f"{name} {value:g} is not accepted; give 1 or more")
