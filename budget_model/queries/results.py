"""Typed answers of the read side. Every figure carries its n; a percentile its interval and grade.

Durations are float milliseconds. None is "not known"; it is never shown as 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field

METHOD = "nearest-rank"


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % distribution-free confidence interval; ``high_ms`` None means not estimable."""

    low_ms: float | None
    high_ms: float | None


LEAST_IN_WHOLE_MS = 10.0
"""From here on rounding to whole milliseconds moves the total by a twentieth at most."""


@dataclass(frozen=True, slots=True)
class QuantileEstimate:
    """One percentile of one metric: nearest rank over ``n`` values."""

    q: float  # 0.99 for p99
    value_ms: float | None
    interval: Interval
    n: int
    n_eff: int
    blocks: int  # time blocks behind n_eff; 0 = could not be measured, taken as independent
    grade: str  # "A", "B", "C"; "-" without a value


@dataclass(frozen=True, slots=True)
class PercentileRow:
    """Percentiles of one metric in one group, with who is not in them."""

    group: dict[str, str | None]
    metric: str
    n: int  # ok requests that have the metric
    failed: int
    missing: int  # ok requests without the metric
    estimates: tuple[QuantileEstimate, ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """One hop's share of the e2e percentile, its printed whole number, and its own percentile."""

    hop: str
    ms: float
    printed_ms: int
    own_quantile_ms: float | None  # of the hop's wall time: not additive
    instrumented: int  # requests in the window in which the hop was recorded


@dataclass(frozen=True, slots=True)
class Window:
    """The requests around the percentile's rank whose mean hop vector gives the bars."""

    rank: int
    half_width: int
    mean_ms: float
    factor: float

    @property
    def size(self) -> int:
        """Requests in the window; 1 means the bars are a single request's."""
        return 2 * self.half_width + 1


@dataclass(frozen=True, slots=True)
class Waterfall:
    """Hop bars that add to the e2e percentile exactly (windowed concomitants, rescaled)."""

    estimate: QuantileEstimate
    n: int
    failed: int
    missing: int
    printed_total_ms: int
    window: Window
    bars: tuple[Bar, ...]
    sum_of_own_quantiles_ms: float | None

    @property
    def in_whole_ms(self) -> bool:
        """Whether whole milliseconds say enough; below that the exact bars are shown, which add as well."""
        return (self.estimate.value_ms or 0.0) >= LEAST_IN_WHOLE_MS


@dataclass(frozen=True, slots=True)
class DifferenceBar:
    """What the upper percentile's bar has that the lower one has not."""

    hop: str
    low_ms: float
    high_ms: float
    delta_ms: float
    printed_delta_ms: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Two percentiles' waterfalls, subtracted; the deltas add to the difference of the totals."""

    low: Waterfall
    high: Waterfall
    bars: tuple[DifferenceBar, ...]
    printed_total_ms: int

    @property
    def in_whole_ms(self) -> bool:
        """Whether whole milliseconds say enough of both."""
        return self.low.in_whole_ms and self.high.in_whole_ms


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """One value of a dimension: its e2e percentile and what share of exceedances it holds."""

    value: str | None
    n: int
    failed: int
    missing: int
    estimate: QuantileEstimate
    median_ms: float | None
    tail_share: float | None  # share of all requests above the overall percentile that are here
    traffic_share: float


@dataclass(frozen=True, slots=True)
class SegmentTable:
    """All values of one dimension under the filter."""

    dimension: str
    q: float
    rows: tuple[SegmentRow, ...]
    overall: QuantileEstimate


@dataclass(frozen=True, slots=True)
class PromptFigures:
    """The requests made with one version of a prompt: how they did, and when they came.

    ``label`` is the value of the prompt dimension; ``version`` is None where requests carry the name
    alone. ``first_us`` and ``last_us`` are starts of requests of any outcome, UTC microseconds.
    """

    label: str
    name: str
    version: str | None
    requests: int  # of any outcome
    failed: int
    e2e: QuantileEstimate
    e2e_missing: int  # ok requests without an end-to-end time
    ttft: QuantileEstimate
    ttft_missing: int  # ok requests without a time to first token
    first_us: int | None
    last_us: int | None


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Per segment, the hop bars that add to that segment's own e2e percentile."""

    dimension: str
    q: float
    values: tuple[str | None, ...]
    hops: tuple[str, ...]
    cells_ms: tuple[tuple[float | None, ...], ...]  # [value][hop]
    totals: tuple[QuantileEstimate, ...]


@dataclass(frozen=True, slots=True)
class SeriesPoint:
    """One time bucket; estimates are None where the bucket has no request."""

    start_us: int
    n: int
    failed: int
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    grade: str  # of the p99


@dataclass(frozen=True, slots=True)
class Series:
    """A metric over time in buckets of equal width, gaps included."""

    metric: str
    bucket_us: int
    points: tuple[SeriesPoint, ...]
    without_time: int  # requests left out because they carry no time stamp


@dataclass(frozen=True, slots=True)
class RequestRow:
    """One request in a list, with its rank among the ok requests by e2e (1 = slowest)."""

    request_id: str
    trace_id: str
    rank: int | None
    start_us: int | None
    outcome: str
    e2e_ms: float | None
    ttft_ms: float | None
    segment: dict[str, str | None]
    prompt_tokens: int | None
    output_tokens: int | None
    attempts: int
    flags: int
    path_ms: tuple[float | None, ...]  # in HOPS order


@dataclass(frozen=True, slots=True)
class RequestPage:
    """A page of a request list and how long the whole list is."""

    rows: tuple[RequestRow, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Counts:
    """How many requests are under the filter, by outcome."""

    total: int
    ok: int
    empty: int
    failed: int
    incomplete: int
    cancelled: int
    without_time: int
    flagged: dict[str, int] = field(default_factory=dict)
