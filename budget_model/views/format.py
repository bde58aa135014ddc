"""The one place where numbers become words: times, counts, shares, percentiles, moments.

Every function takes None for "not known" and says so; none of them ever shows it as 0.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime

from budget_model.domain.quantiles import percentile_name
from budget_model.queries.results import Interval, QuantileEstimate

NOT_RECORDED = "not recorded"
TOO_FEW = "too few samples"
GRADE_WORDS = {
    "A": "grade A: narrow interval, at least 1,000 independent requests",
    "B": "grade B: both ends of the interval are known",
    "C": "grade C: too few samples for a verdict",
    "-": "no value",
}


def duration(ms: float | None) -> str:
    """A time in the unit that reads best, to three figures.

    >>> [duration(x) for x in (0.015, 0.4, 4.25, 842.0, 1234.0, 125000.0, None)]
    ['15 µs', '0.40 ms', '4.25 ms', '842 ms', '1.23 s', '2 min 5 s', 'not recorded']
    """
    if ms is None or not math.isfinite(ms):
        return NOT_RECORDED
    if ms < 0:
        return "−" + duration(-ms)
    if ms == 0:
        return "0 ms"
    if ms < 0.1:
        return f"{ms * 1e3:.3g} µs"
    return _three_figures(ms)


def _three_figures(ms: float) -> str:
    for limit, scale, unit in ((9.995, 1, "ms"), (99.95, 1, "ms"), (999.5, 1, "ms"), (9995, 1e3, "s")):
        if ms < limit:
            decimals = 2 if limit in (9.995, 9995) else 1 if limit == 99.95 else 0
            return f"{ms / scale:.{decimals}f} {unit}"
    if ms < 59_950:
        return f"{ms / 1e3:.1f} s"
    seconds = round(ms / 1e3)
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60:,} h {minutes % 60} min"


def signed(ms: float | None) -> str:
    """A difference of times with its sign: ``+605 ms``, ``−3.00 ms``."""
    if ms is None:
        return NOT_RECORDED
    return duration(ms) if ms <= 0 else "+" + duration(ms)


def whole_ms(ms: int) -> str:
    """A whole number of milliseconds as it must add on the page: ``3,605 ms``."""
    return f"{ms:,} ms".replace("-", "−")


def exact_ms(ms: float) -> str:
    """A time to the microsecond, for what adds only then: ``0.300 ms``."""
    return f"{ms:.3f} ms".replace("-", "−")


def printed(ms: float, whole: int, *, in_whole_ms: bool) -> str:
    """One of several times that add up: the whole number it has there, or its exact microseconds.

    A time that rounds to no millisecond among longer ones is shown in its own unit, not as 0.
    """
    if not in_whole_ms:
        return exact_ms(ms)
    return duration(ms) if whole == 0 and ms > 0 else whole_ms(whole)


def ordinal(n: int) -> str:
    """A place in an order: ``1st``, ``2nd``, ``11th``, ``1,980th``."""
    teens = 10 < n % 100 < 14
    return f"{n:,}" + ("th" if teens else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th"))


def count(n: int | None) -> str:
    """A count with thousands separators."""
    return NOT_RECORDED if n is None else f"{n:,}"


def figure(value: float | None) -> str:
    """A number whose unit stands in the heading of its column, to three figures; a dash for none.

    >>> [figure(x) for x in (0.0, 0.0042, 9.41, 55.67, 1026.08, 20480.0, None)]
    ['0', '0.0042', '9.41', '55.7', '1,026', '20,480', '–']
    """
    if value is None or not math.isfinite(value):
        return "–"
    size = abs(value)
    if size >= 99.95 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"


def sample(n: int) -> str:
    """A sample size: ``n = 1,234``."""
    return f"n = {n:,}"


def share(part: float | None) -> str:
    """A share of one as a percentage: 0.31 -> ``31 %``, 0.004 -> ``0.4 %``."""
    if part is None or not math.isfinite(part):
        return NOT_RECORDED
    percent = 100 * part
    if percent == 0 or abs(percent) >= 9.95:
        return f"{percent:.0f} %"
    if 0 < percent < 0.05:
        return "under 0.1 %"
    return f"{percent:.1f} %"


def ratio(part: float, whole: float) -> float | None:
    """``part / whole``, None when there is no whole."""
    return part / whole if whole else None


def percentile(q: float) -> str:
    """A quantile's usual name: 0.5 -> ``p50``, 0.999 -> ``p99.9``."""
    return percentile_name(q)


METRICS = {
    "e2e": "end to end",
    "ttft": "time to first token",
    "first_answer": "time to first answer token",
    "generation": "first to last token",
    "tpot": "time per output token",
    "itl": "gap between tokens (pooled)",
}


def metric(name: str) -> str:
    """How a metric is written for people; a hop is written by its name."""
    return METRICS.get(name, name)


def percentile_word(q: float) -> str:
    """Like ``percentile``, but p50 is called the median."""
    return "median" if q == 0.5 else percentile(q)


def interval(bounds: Interval) -> str:
    """A 95 % interval in words, an open upper end said as such."""
    if bounds.low_ms is None and bounds.high_ms is None:
        return TOO_FEW
    if bounds.high_ms is None:
        return f"{duration(bounds.low_ms)} to not estimable"
    if bounds.low_ms is None:
        return f"up to {duration(bounds.high_ms)}"
    return f"{duration(bounds.low_ms)} to {duration(bounds.high_ms)}"


def too_few(value: QuantileEstimate) -> str:
    """Why a percentile has grade C: few requests, or many that came in few bursts."""
    if value.n_eff < value.n:
        return f"{TOO_FEW}: {value.n:,} count as {value.n_eff:,}"
    return f"{TOO_FEW}, {sample(value.n)}"


def too_few_short(value: QuantileEstimate) -> str:
    """Like ``too_few`` for a narrow column: only what the requests count as, ``too few (215)``."""
    return f"too few ({value.n_eff:,})"


def estimate(value: QuantileEstimate) -> str:
    """A percentile's value, or why there is none."""
    return "no data" if value.value_ms is None else duration(value.value_ms)


def moment(us: int | None) -> str:
    """A UTC time to the second: ``1 Dec 2026 03:47:45``."""
    if us is None:
        return "no time"
    at = datetime.fromtimestamp(us / 1e6, UTC)
    return f"{at.day} {at:%b %Y %H:%M:%S}"


def minute(us: int) -> str:
    """A UTC time to the minute: ``1 Dec 03:47``."""
    at = datetime.fromtimestamp(us / 1e6, UTC)
    return f"{at.day} {at:%b %H:%M}"


def span_of_time(us: int) -> str:
    """The width of a time bucket: ``1 h``, ``15 min``, ``1 day``."""
    for width, unit in ((86_400_000_000, "day"), (3_600_000_000, "h"), (60_000_000, "min"), (1_000_000, "s")):
        if us >= width and us % width == 0:
            n = us // width
            return f"{n} {unit}{'s' if unit == 'day' and n > 1 else ''}"
    return duration(us / 1e3)


def size(n_bytes: float) -> str:
    """Bytes in the unit that reads best (powers of 1000)."""
    for limit, scale, unit in ((1e3, 1, "B"), (1e6, 1e3, "kB"), (1e9, 1e6, "MB")):
        if n_bytes < limit:
            return f"{n_bytes / scale:.0f} {unit}"
    return f"{n_bytes / 1e9:.1f} GB"


def plural(n: int, one: str, many: str | None = None) -> str:
    """``1 request``, ``2 requests``."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"
