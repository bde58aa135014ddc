"""Small results to draw, made by hand."""

from __future__ import annotations

from budget_model.domain.hops import HOPS
from budget_model.queries.results import (
    Bar,
    Difference,
    DifferenceBar,
    HeatMap,
    Interval,
    QuantileEstimate,
    Series,
    SeriesPoint,
    Waterfall,
    Window,
)


def estimate(value_ms: float | None, q: float = 0.99, *, n: int = 2000, grade: str = "A") -> QuantileEstimate:
    bounds = Interval(None, None) if value_ms is None else Interval(0.9 * value_ms, 1.1 * value_ms)
    return QuantileEstimate(q, value_ms, bounds, n, n, 24, grade)


def waterfall(bars_ms: dict[str, float], q: float = 0.99) -> Waterfall:
    total = sum(bars_ms.values())
    bars = tuple(
        Bar(hop, bars_ms.get(hop, 0.0), round(bars_ms.get(hop, 0.0)), 2 * bars_ms[hop], 21)
        if hop in bars_ms
        else Bar(hop, 0.0, 0, None, 0)
        for hop in HOPS
    )
    window = Window(rank=1980, half_width=10, mean_ms=total, factor=1.0)
    return Waterfall(estimate(total, q), 2000, 7, 0, round(total), window, bars, 2 * total)


def difference(low_ms: dict[str, float], high_ms: dict[str, float]) -> Difference:
    low, high = waterfall(low_ms, 0.5), waterfall(high_ms)
    bars = tuple(
        DifferenceBar(a.hop, a.ms, b.ms, b.ms - a.ms, round(b.ms - a.ms))
        for a, b in zip(low.bars, high.bars, strict=True)
    )
    return Difference(low, high, bars, high.printed_total_ms - low.printed_total_ms)


def series(*p99_ms: float | None, grade: str = "A") -> Series:
    hour = 3_600_000_000
    points = tuple(
        SeriesPoint(1_764_547_200_000_000 + i * hour, 0 if v is None else 900, 3, v, v, v, grade)
        for i, v in enumerate(p99_ms)
    )
    return Series("e2e", hour, points, 0)


def heat_map(*values: str | None) -> HeatMap:
    cells = tuple(
        tuple(100.0 * (i + 1) if hop == "queue" else None for hop in HOPS) for i, _ in enumerate(values)
    )
    totals = tuple(estimate(100.0 * (i + 1)) for i, _ in enumerate(values))
    return HeatMap("tenant", 0.99, values, tuple(HOPS), cells, totals)
