"""What the tail has that the median has not: two waterfalls subtracted."""

from __future__ import annotations

from budget_model.domain.hops import HOPS
from budget_model.queries.results import Bar, Difference, DifferenceBar, Waterfall
from budget_model.units import US_PER_MS


def difference(low: Waterfall, high: Waterfall) -> Difference:
    """Bar by bar ``high - low``, in path order; a hop without a bar on one side counts 0 there.

    Deltas are whole microseconds and add to the difference of the two percentiles exactly. Printed
    deltas are differences of printed bars, so that the printed table adds down and across.
    """
    lows = {bar.hop: bar for bar in low.bars}
    highs = {bar.hop: bar for bar in high.bars}
    bars = tuple(_bar(str(hop), lows.get(hop), highs.get(hop)) for hop in HOPS if hop in lows or hop in highs)
    return Difference(low, high, bars, high.printed_total_ms - low.printed_total_ms)


def _bar(hop: str, low: Bar | None, high: Bar | None) -> DifferenceBar:
    low_ms, low_printed = (low.ms, low.printed_ms) if low else (0.0, 0)
    high_ms, high_printed = (high.ms, high.printed_ms) if high else (0.0, 0)
    delta_us = round(high_ms * US_PER_MS) - round(low_ms * US_PER_MS)
    return DifferenceBar(hop, low_ms, high_ms, delta_us / US_PER_MS, high_printed - low_printed)
