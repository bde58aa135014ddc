"""All pairs of prefill and decode factors that meet a target exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.budget_question import HOP_INDEX, Question, Sample
from budget_model.domain.hops import Hop
from budget_model.domain.scaling import largest_scale


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
    held = sample.locked(
        {hop: us for hop, us in question.locks.items() if hop not in (Hop.PREFILL, Hop.DECODE)}
    )
    prefill = held.hops[:, HOP_INDEX[Hop.PREFILL]]
    decode = held.hops[:, HOP_INDEX[Hop.DECODE]]
    rest = held.hops.sum(axis=1) - prefill - decode
    solved = (
        FrontierPoint(scale, largest_scale(rest + scale * prefill, decode, question.effective_us, question.q))
        for scale in prefill_scales.tolist()
    )
    return tuple(point for point in solved if point.decode_scale >= 0)
