"""When requests arrive and whose they are: daily rhythm, weekends, single calls and bursts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budget_model.demo import scenario as sc

_HOURS = sc.DAYS * 24
_DAY_S = 86_400.0
_LAST_QUARTER_S = 900.0
_FIRST_WEEKDAY = 3  # the epoch began on a Thursday; days count from Monday


@dataclass(frozen=True, slots=True)
class Traffic:
    """One entry a request, by rising arrival; indices point into the scenario's tables."""

    start_s: NDArray[np.float64]  # since the window began
    tenant: NDArray[np.int64]
    region: NDArray[np.int64]
    workload: NDArray[np.int64]


def draw_traffic(rng: np.random.Generator, window_start_s: float, requests: int) -> Traffic:
    """Draw exactly ``requests`` arrivals in the two weeks from ``window_start_s`` (UTC epoch seconds)."""
    leader, place = _group(rng, requests)
    tenant = rng.choice(len(sc.TENANTS), leader.max() + 1, p=[t.share for t in sc.TENANTS])
    region = _pick(rng, np.array([t.regions for t in sc.TENANTS])[tenant])
    long = np.array([t.name == sc.LONG_TENANT for t in sc.TENANTS])[tenant]
    spread = np.where(long, sc.LONG_BURST_SPREAD_S, sc.BURST_SPREAD_S)
    start = _rhythmic(rng, window_start_s, region, long)[leader] + place * spread[leader]
    workload = _pick(rng, np.array([t.workloads for t in sc.TENANTS])[tenant[leader]])
    start = np.minimum(start, sc.DAYS * _DAY_S - _LAST_QUARTER_S)
    order = np.argsort(start, kind="stable")
    return Traffic(start[order], tenant[leader][order], region[leader][order], workload[order])


def _group(rng: np.random.Generator, requests: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The burst (or single call) each request belongs to, and its place in it from 0 to 1."""
    in_bursts = int(requests * sc.BURST_SHARE)
    sizes = 2 + rng.geometric(1 / (sc.BURST_MEAN - 1), max(1, round(in_bursts / sc.BURST_MEAN)) * 2)
    bursts = np.repeat(np.arange(sizes.size), sizes)[:in_bursts]
    singles = np.arange(requests - bursts.size) + (bursts.max(initial=-1) + 1)
    place = rng.random(bursts.size)
    return np.concatenate([bursts, singles]), np.concatenate([place, np.zeros(singles.size)])


def _pick(rng: np.random.Generator, shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """One column a row, with the row's shares as probabilities."""
    return np.asarray((rng.random((len(shares), 1)) > np.cumsum(shares, axis=1)).sum(axis=1), dtype=np.int64)


def _rhythmic(
    rng: np.random.Generator, start_s: float, region: NDArray[np.int64], long: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Seconds since the window began, drawn by the local time of each caller's region."""
    moments = np.empty(region.size)
    for index, place in enumerate(sc.REGIONS):
        for narrow in (False, True):
            here = np.flatnonzero((region == index) & (long == narrow))
            weight = _hourly_weight(start_s + place.utc_offset_h * 3600.0, narrow=narrow)
            moments[here] = (rng.choice(_HOURS, here.size, p=weight) + rng.random(here.size)) * 3600.0
    return moments


def _hourly_weight(local_start_s: float, *, narrow: bool) -> NDArray[np.float64]:
    """Share of traffic in each hour of the window: busy by day, quieter at weekends."""
    local = local_start_s + (np.arange(_HOURS) + 0.5) * 3600.0
    hour = local % _DAY_S / 3600.0
    weekend = (local // _DAY_S + _FIRST_WEEKDAY) % 7 >= 5
    middle, spread = sc.LONG_HOURS if narrow else sc.HOURS
    rhythm = np.exp(-0.5 * ((hour - middle) / spread) ** 2) + (0.0 if narrow else sc.NIGHT)
    weight = rhythm * np.where(weekend, 0.0 if narrow else sc.WEEKEND, 1.0)
    return np.asarray(weight / weight.sum())
