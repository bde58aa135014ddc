"""Where an end-to-end percentile goes, hop by hop, in bars that add up to it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from budget_model.domain.hops import HOPS, Hop
from budget_model.domain.rounding import largest_remainder
from budget_model.domain.tail import RankWindow, TailBars, rank_window, tail_bars
from budget_model.queries.columns import METRIC_COLUMNS
from budget_model.queries.estimates import estimates, no_estimate
from budget_model.queries.pool import spread
from budget_model.queries.ranks import positions_at
from budget_model.queries.results import Bar, QuantileEstimate, Waterfall, Window
from budget_model.queries.selection import Sample, Selection
from budget_model.queries.table import MISSING
from budget_model.store.schema import PATH_COLUMNS
from budget_model.units import US_PER_MS, us_to_ms


def waterfall(selection: Selection, q: float, *, own_quantiles: bool = True) -> Waterfall:
    """The e2e percentile ``q`` over ok requests and its bars in path order.

    Bars are whole microseconds and add to the percentile exactly; the printed whole milliseconds add
    to the printed total. A hop that no ok request recorded has no bar. The hops' own percentiles take
    most of the time; without ``own_quantiles`` they are None.
    """
    sample = selection.sample("e2e_us")
    (estimate,) = estimates(selection, "e2e_us", (q,))
    if not sample.n:
        nothing = Window(0, 0, 0.0, 1.0)
        return Waterfall(no_estimate(q), 0, selection.failed, sample.missing, 0, nothing, (), None)
    window = rank_window(sample.n, q)
    total_us = int(sample.ordered[window.rank - 1])
    found, instrumented = window_bars(selection, sample, window, total_us)
    hops = recorded_hops(selection)
    own = dict[Hop, QuantileEstimate]()
    if own_quantiles:
        own = dict(zip(hops, spread(lambda hop: _own_quantile(selection, hop, q), hops), strict=True))
    bars = _bars(hops, found, total_us, own, instrumented)
    return Waterfall(
        estimate=estimate,
        n=sample.n,
        failed=selection.failed,
        missing=sample.missing,
        printed_total_ms=printed_ms(total_us),
        window=Window(window.rank, window.half_width, found.window_mean / US_PER_MS, found.factor),
        bars=bars,
        sum_of_own_quantiles_ms=_sum([bar.own_quantile_ms for bar in bars]),
    )


def window_bars(
    selection: Selection, sample: Sample, window: RankWindow, total_us: int
) -> tuple[TailBars, list[int]]:
    """Bars in microseconds for all HOPS, and in how many of the window's requests each was recorded."""
    table = selection.table
    positions = positions_at(table, sample, window.first, window.last)
    parts = np.stack([table.numbers[column][positions] for column in PATH_COLUMNS], axis=1)
    recorded = parts != MISSING
    return tail_bars(np.where(recorded, parts, 0), total_us), recorded.sum(axis=0).tolist()


def recorded_hops(selection: Selection) -> tuple[Hop, ...]:
    """Hops that at least one ok request of the selection recorded, in path order."""
    if "hops" not in selection.memo:
        numbers, ok = selection.table.numbers, selection.ok
        recorded = [hop for hop, c in zip(HOPS, PATH_COLUMNS, strict=True) if _any_recorded(numbers[c], ok)]
        selection.memo["hops"] = tuple(recorded)
    hops: tuple[Hop, ...] = selection.memo["hops"]
    return hops


def _any_recorded(column: NDArray[Any], positions: NDArray[Any]) -> bool:
    head = positions[:1000]  # nearly always enough to say yes
    return bool((column[head] != MISSING).any() or (column[positions] != MISSING).any())


def whole_us(found: TailBars, total_us: int) -> tuple[int, ...]:
    """The bars as whole microseconds that add to ``total_us``, in HOPS order."""
    return tuple(largest_remainder(found.bars.tolist(), total_us))


def printed_ms(us: int) -> int:
    """Microseconds as whole milliseconds, halves up."""
    return (us + US_PER_MS // 2) // US_PER_MS


def _bars(
    hops: tuple[Hop, ...],
    found: TailBars,
    total_us: int,
    own: dict[Hop, QuantileEstimate],
    instrumented: list[int],
) -> tuple[Bar, ...]:
    exact = whole_us(found, total_us)
    printed = largest_remainder((found.bars / US_PER_MS).tolist(), printed_ms(total_us))
    places = [HOPS.index(hop) for hop in hops]
    return tuple(
        Bar(
            hop=str(HOPS[i]),
            ms=exact[i] / US_PER_MS,
            printed_ms=printed[i],
            own_quantile_ms=own[HOPS[i]].value_ms if HOPS[i] in own else None,
            instrumented=instrumented[i],
        )
        for i in places
    )


def _own_quantile(selection: Selection, hop: Hop, q: float) -> QuantileEstimate:
    return estimates(selection, METRIC_COLUMNS[str(hop)], (q,))[0]


def _sum(values: list[float | None]) -> float | None:
    known = [round(value * US_PER_MS) for value in values if value is not None]
    return us_to_ms(sum(known)) if known else None
