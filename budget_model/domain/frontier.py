"""All pairs of prefill and decode factors that meet a target exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.budget_question import HOP_INDEX, Question, Sample, hold
from budget_model.domain.hops import COMPUTE_HOPS, Hop
from budget_model.domain.quantiles import nearest_rank
from budget_model.domain.scaling import tolerated_scales

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FrontierPoint:
    """With prefill at ``prefill_scale`` times today's, decode may be at most ``decode_scale`` times."""

    prefill_scale: float
    decode_scale: float


def frontier(
    sample: Sample, question: Question, prefill_scales: NDArray[np.float64]
) -> tuple[FrontierPoint, ...]:
    """The largest decode factor for each prefill factor; factors with no solution are left out.

    Prefill and decode are both taken as free, other hops as observed or locked.
    """
    others = {hop: us for hop, us in question.locks.items() if hop not in COMPUTE_HOPS}
    rest = hold(sample, others).overhead
    prefill = sample.hops[:, HOP_INDEX[Hop.PREFILL]]
    decode = sample.hops[:, HOP_INDEX[Hop.DECODE]]
    wide = float(prefill_scales.max(initial=0.0))
    near = Tolerance(rest, prefill, decode, question).within(wide)
    solved = (FrontierPoint(scale, near.decode_scale(scale)) for scale in prefill_scales.tolist())
    return tuple(point for point in solved if point.decode_scale >= 0)


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Requests' times, each of shape (n,), and how many others meet the target whatever the factors.

    ``highest`` is the curve's highest decode factor, which the others tolerate too.
    """

    rest: Values
    prefill: Values
    decode: Values
    question: Question
    safe: int = 0
    highest: float = math.inf

    def within(self, wide: float) -> Tolerance:
        """Without the requests that tolerate prefill at ``wide`` and decode at the curve's highest.

        The curve falls, so they tolerate every point of it up to ``wide``, and counting is enough.
        """
        highest = self.decode_scale(0.0)
        if not 0 <= highest < math.inf:
            return self
        worst = self.rest + wide * self.prefill + highest * self.decode
        near = np.flatnonzero(worst > self.question.effective_us)
        return Tolerance(
            self.rest[near],
            self.prefill[near],
            self.decode[near],
            self.question,
            self.safe + self.rest.size - near.size,
            highest,
        )

    def decode_scale(self, prefill_scale: float) -> float:
        """The largest decode factor at a prefill factor; negative when there is none."""
        needed = nearest_rank(self.rest.size + self.safe, self.question.q) - self.safe
        if needed <= 0:
            return self.highest
        overhead = self.rest + prefill_scale * self.prefill
        scales = tolerated_scales(overhead, self.decode, self.question.effective_us)
        place = scales.size - needed
        return min(float(np.partition(scales, place)[place]), self.highest)
