"""What is asked of the allocator, and the sample of requests it is answered from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.exceedance import Each, Ranked, rank_hops
from budget_model.domain.hops import COMPUTE_HOPS, HOPS, Hop
from budget_model.domain.quantiles import quantile, quantile_of
from budget_model.errors import BudgetError
from budget_model.units import US_PER_S

Values = NDArray[np.float64]
Kept = TypeVar("Kept")

MOST_TARGET_S = 86_400.0
"""A day: the longest target, and the longest contract, that is answered."""

_MOST = f"give at most {MOST_TARGET_S:,.0f} s"

HOP_INDEX: dict[Hop, int] = {hop: index for index, hop in enumerate(HOPS)}


@dataclass(frozen=True, slots=True)
class Question:
    """A target for one percentile of e2e, the headroom to keep, and hops held at a contract.

    Times are whole microseconds, so that lines add up exactly. The target and each contract are at
    most ``MOST_TARGET_S``, and ``headroom`` is a share of the target in [0, 1). A locked hop is taken
    to last exactly its contract in every request: safe whatever it does within the contract. Raises
    BudgetError naming the value and what is accepted.
    """

    target_us: int
    q: float
    headroom: float
    locks: Mapping[Hop, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.target_us <= 0:
            raise BudgetError(f"a target of {self.target_us / 1000:g} ms cannot be met; give one above 0 ms")
        if self.target_us > MOST_TARGET_S * US_PER_S:
            raise BudgetError(f"a target of {self.target_us / US_PER_S:.12g} s is too long; {_MOST}")
        if not 0 < self.q < 1:
            raise BudgetError(f"percentile {self.q * 100:g} does not exist; give one above 0 and below 100")
        if not 0 <= self.headroom < 1:
            raise BudgetError(
                f"headroom {self.headroom:.0%} leaves nothing; give 0 % or more and less than 100 %"
            )
        for hop, lock_us in self.locks.items():
            if lock_us < 0 or hop is Hop.UNATTRIBUTED:
                raise BudgetError(f"{hop} cannot be locked at {lock_us / 1000:g} ms")
            if lock_us > MOST_TARGET_S * US_PER_S:
                raise BudgetError(f"{hop} cannot be locked at {lock_us / US_PER_S:.12g} s; {_MOST}")

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
    requests recorded each hop, shape (10,). Neither may be changed: ``memo`` keeps what was
    worked out from them, so that one sample can answer many questions; ``ranking`` keeps two threads
    from ranking the same sample twice.
    """

    hops: Values
    recorded: NDArray[np.int64]
    memo: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    ranking: Lock = field(default_factory=Lock, repr=False, compare=False)

    @property
    def n(self) -> int:
        """Requests in the sample."""
        return int(self.hops.shape[0])

    def is_recorded(self, hop: Hop) -> bool:
        """Whether any request recorded the hop at all."""
        return bool(self.recorded[HOP_INDEX[hop]] > 0)

    def remembered(self, key: Any, work: Callable[[], Kept]) -> Kept:
        """``work()``, done once for ``key``; it may depend on the sample and the key alone."""
        if key not in self.memo:
            self.memo[key] = work()
        kept: Kept = self.memo[key]
        return kept

    def totals(self) -> Values:
        """Each request's e2e, shape (n,)."""
        return self.remembered("totals", lambda: self.hops.sum(axis=1))

    def ranked(self, each: Each = map) -> Ranked:
        """Every hop sorted and ranked: costly, and then every question on single hops is cheap."""
        with self.ranking:
            return self.remembered("ranked", lambda: rank_hops(list(self.hops.T), each))

    def own_quantile(self, index: int, q: float) -> float:
        """The quantile q of one hop's column."""
        if "ranked" in self.memo:
            return float(quantile(self.memo["ranked"].columns[:, index], q))
        return self.remembered(("own", index, q), lambda: quantile_of(self.hops[:, index], q))


@dataclass(frozen=True, slots=True)
class Held:
    """A sample with the hops in ``locks`` at their contract in every request, without copying it.

    ``overhead`` and ``compute`` have shape (n,) and add to each request's e2e. A compute budget may
    stretch ``scaled``, the columns of prefill and decode, unless locked.
    """

    sample: Sample
    locks: Mapping[Hop, int]
    scaled: tuple[int, ...]
    overhead: Values
    compute: Values

    def rows(self, rows: NDArray[np.int64], scale: float | Values) -> Values:
        """Hop vectors of some requests, shape (k, 10), compute multiplied by ``scale``.

        ``scale`` is one factor, or one for each of ``scaled`` in that order.
        """
        hops = self.sample.hops[rows].copy()
        hops[:, list(self.scaled)] *= scale
        for hop, lock_us in self.locks.items():
            hops[:, HOP_INDEX[hop]] = lock_us
        return hops

    def is_recorded(self, hop: Hop) -> bool:
        """Whether the hop is locked or recorded."""
        return hop in self.locks or self.sample.is_recorded(hop)

    def own_quantile(self, hop: Hop, q: float) -> float:
        """The quantile q of one hop: its contract when locked."""
        if hop in self.locks:
            return float(self.locks[hop])
        return self.sample.own_quantile(HOP_INDEX[hop], q)

    def compute_quantile(self, q: float) -> float:
        """The quantile q of the compute time that may be stretched."""
        return self.sample.remembered(("compute", self.scaled, q), lambda: quantile_of(self.compute, q))


def hold(sample: Sample, locks: Mapping[Hop, int]) -> Held:
    """The sample as a question with ``locks`` sees it."""
    scaled = scaled_hops(locks)
    compute = sample.remembered(("compute", scaled), lambda: sample.hops[:, list(scaled)].sum(axis=1))
    others = [index for index in HOP_INDEX.values() if index not in scaled]
    overhead = sample.remembered(("overhead", scaled), lambda: sample.hops[:, others].sum(axis=1))
    for hop, lock_us in locks.items():
        overhead = overhead + (lock_us - sample.hops[:, HOP_INDEX[hop]])
    return Held(sample, locks, scaled, overhead, compute)


def scaled_hops(locks: Mapping[Hop, int]) -> tuple[int, ...]:
    """Columns that a compute budget may stretch or shrink: prefill and decode, unless locked."""
    return tuple(HOP_INDEX[hop] for hop in COMPUTE_HOPS if hop not in locks)
