"""What is asked of the allocator, and the sample of requests it is answered from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.hops import COMPUTE_HOPS, HOPS, Hop
from budget_model.errors import BudgetError

Values = NDArray[np.float64]

HOP_INDEX: dict[Hop, int] = {hop: index for index, hop in enumerate(HOPS)}


@dataclass(frozen=True, slots=True)
class Question:
    """A target for one percentile of e2e, the headroom to keep, and hops held at a contract.

    Times are whole microseconds, so that lines add up exactly. ``headroom`` is a share of the
    target in [0, 1). A locked hop is taken to last exactly its contract in every request: safe
    whatever it does within the contract. Raises BudgetError naming the value and what is accepted.
    """

    target_us: int
    q: float
    headroom: float
    locks: Mapping[Hop, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.target_us <= 0:
            raise BudgetError(f"a target of {self.target_us / 1000:g} ms cannot be met; give one above 0 ms")
        if not 0 < self.q < 1:
            raise BudgetError(f"percentile {self.q * 100:g} does not exist; give one above 0 and below 100")
        if not 0 <= self.headroom < 1:
            raise BudgetError(
                f"headroom {self.headroom:.0%} leaves nothing; give 0 % or more and less than 100 %"
            )
        for hop, lock_us in self.locks.items():
            if lock_us < 0 or hop is Hop.UNATTRIBUTED:
                raise BudgetError(f"{hop} cannot be locked at {lock_us / 1000:g} ms")

    @property
    def headroom_us(self) -> int:
        """What is kept back, rounded to a whole microsecond."""
        return round(self.target_us * self.headroom)

    @property
    def effective_us(self) -> int:
        """What the lines may add up to: target minus headroom."""
        return self.target_us - self.headroom_us


@dataclass(frozen=True, slots=True)
class Sample:
    """Hop times of the requests that ended well.

    ``hops`` has shape (n, 10) in ``HOPS`` order, microseconds, a hop not recorded counting 0
    because the recorded ones already add to the request's e2e. ``recorded`` says how many
    requests recorded each hop, shape (10,).
    """

    hops: Values
    recorded: NDArray[np.int64]

    @property
    def n(self) -> int:
        """Requests in the sample."""
        return int(self.hops.shape[0])

    def is_recorded(self, hop: Hop) -> bool:
        """Whether any request recorded the hop at all."""
        return bool(self.recorded[HOP_INDEX[hop]] > 0)

    def locked(self, locks: Mapping[Hop, int]) -> Sample:
        """The sample with every locked hop at its contract in every request."""
        if not locks:
            return self
        hops = self.hops.copy()
        recorded = self.recorded.copy()
        for hop, lock_us in locks.items():
            hops[:, HOP_INDEX[hop]] = lock_us
            recorded[HOP_INDEX[hop]] = self.n
        return Sample(hops, recorded)


def scaled_hops(locks: Mapping[Hop, int]) -> tuple[int, ...]:
    """Columns that a compute budget may stretch or shrink: prefill and decode, unless locked."""
    return tuple(HOP_INDEX[hop] for hop in COMPUTE_HOPS if hop not in locks)


def split(sample: Sample, locks: Mapping[Hop, int]) -> tuple[Values, Values]:
    """Per-request overhead (held as observed or locked) and compute time, each of shape (n,)."""
    scaled = list(scaled_hops(locks))
    compute = sample.hops[:, scaled].sum(axis=1)
    return sample.hops.sum(axis=1) - compute, compute
