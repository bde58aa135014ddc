"""Changes to how the model is served: cached prompts, guessed tokens, a smaller model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from budget_model.domain.hops import Hop
from budget_model.domain.whatif.tactic import QUEUE_HELD, check_factor, check_share
from budget_model.domain.whatif.weighted import WeightedRequests, blend


@dataclass(frozen=True, slots=True)
class PromptCache:
    """A share of requests finds its prompt prefix cached and is prefilled ``speedup`` times faster."""

    hit_share: float
    speedup: float

    def __post_init__(self) -> None:
        check_share("cache hit share", self.hit_share)
        check_factor("cache speed-up", self.speedup)

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
        check_factor("decode speed-up", self.speedup)

    @property
    def assumption(self) -> str:
        """One speed-up for all loads."""
        return f"The speed-up is the same at every batch size; really it falls as batches grow. {QUEUE_HELD}"

    def apply(self, requests: WeightedRequests) -> WeightedRequests:
        """Decode divided by the speed-up."""
        return requests.scaled(Hop.DECODE, 1 / self.speedup)


def speculative_speedup(acceptance: float, guesses: int, draft_cost: float) -> tuple[float, float]:
    """Tokens per step and speed-up of speculative decoding (Leviathan et al., ICML 2023).

    ``acceptance`` a in (0, 1), ``guesses`` g >= 1 tokens drafted a step, ``draft_cost`` c >= 0 of a
    draft step relative to a model step: tokens = (1 - a^(g+1)) / (1 - a), speed-up = tokens / (g c + 1).
    """
    tokens = (1 - math.pow(acceptance, guesses + 1)) / (1 - acceptance)
    return tokens, tokens / (guesses * draft_cost + 1)


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
        check_share("routed share", self.share)
        check_share("prefill factor", self.prefill_factor)
        check_share("decode factor", self.decode_factor)

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
