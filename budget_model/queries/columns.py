"""Which columns the read side knows: the fixed lists from which every SQL text is put together."""

from __future__ import annotations

from budget_model.domain.hops import MEASURED_HOPS, Hop
from budget_model.errors import FilterError
from budget_model.queries.filters import DIMENSIONS
from budget_model.store.schema import PATH_COLUMNS as PATH_COLUMNS
from budget_model.store.schema import WALL_COLUMNS as WALL_COLUMNS

DURATION_COLUMNS: tuple[str, ...] = (
    "e2e_us",
    "ttft_us",
    "first_answer_us",
    "generation_us",
    "tpot_us",
    *PATH_COLUMNS,
    *WALL_COLUMNS,
)

NUMBER_COLUMNS: tuple[str, ...] = (
    *DURATION_COLUMNS,
    "start_us",
    "flags",
    "prompt_tokens",
    "output_tokens",
)
"""Columns kept as numpy arrays beside the table."""

STORED_DIMENSIONS: tuple[str, ...] = tuple(d for d in DIMENSIONS if d not in ("bucket", "prompt"))
"""Dimensions that stand in the segments as they are; the other two are derived."""

DETAIL_COLUMNS: tuple[str, ...] = (
    "request_id",
    "trace_id",
    "trace_key",
    "root_span_id",
    "root_name",
    "source_kind",
    "outcome",
    "prompt_tokens",
    "output_tokens",
    "attempts",
    "span_count",
    "error_span_count",
)
"""What a request list needs and no figure does."""

TOKEN_GAP_METRIC = "itl"

METRIC_COLUMNS: dict[str, str] = {
    "e2e": "e2e_us",
    "ttft": "ttft_us",
    "first_answer": "first_answer_us",
    "generation": "generation_us",
    "tpot": "tpot_us",
    **{str(hop): f"wall_{hop}_us" for hop in MEASURED_HOPS},
    str(Hop.UNATTRIBUTED): f"path_{Hop.UNATTRIBUTED}_us",
}
"""A metric's column. A hop's own percentile is of its wall time; ``unattributed`` has path time alone."""

METRICS: tuple[str, ...] = (*METRIC_COLUMNS, TOKEN_GAP_METRIC)


def metric_column(metric: str) -> str:
    """The column of a metric; raises FilterError for one that does not exist."""
    try:
        return METRIC_COLUMNS[metric]
    except KeyError:
        raise FilterError(f"there is no metric {metric!r}; accepted are {', '.join(METRICS)}") from None


def check_dimension(dimension: str) -> str:
    """``dimension`` itself; raises FilterError for one that does not exist."""
    if dimension not in DIMENSIONS:
        raise FilterError(f"there is no dimension {dimension!r}; accepted are {', '.join(DIMENSIONS)}")
    return dimension


def check_quantile(q: float) -> float:
    """``q`` itself; raises FilterError outside (0, 1)."""
    if not 0 < q < 1:
        raise FilterError(f"{q * 100:g} is not a percentile; numbers above 0 and below 100 are accepted")
    return q
