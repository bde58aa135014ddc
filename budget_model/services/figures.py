"""Every figure the product shows, asked for by filter. One ``Figures`` a process serves all sessions."""

from __future__ import annotations

from collections.abc import Callable

from budget_model.queries import counts as counting
from budget_model.queries.columns import check_quantile
from budget_model.queries.difference import difference
from budget_model.queries.engine import Engine
from budget_model.queries.filters import Filter
from budget_model.queries.heat_map import heat_map
from budget_model.queries.percentiles import percentiles
from budget_model.queries.prompt_figures import prompt_figures
from budget_model.queries.requests import Order, neighbours, request, requests
from budget_model.queries.results import (
    Counts,
    Difference,
    HeatMap,
    PercentileRow,
    PromptFigures,
    RequestPage,
    RequestRow,
    SegmentTable,
    Series,
    Waterfall,
)
from budget_model.queries.segments import segments
from budget_model.queries.selection import Selection, select
from budget_model.queries.series import series
from budget_model.queries.waterfall import waterfall
from budget_model.records.trace_view import TraceView
from budget_model.services.making import Assembler
from budget_model.services.trace_views import trace_view


def built_in_rules() -> Assembler:
    """The hop rules of a home without rules of its own."""
    return Assembler(None, correct_skew=False)


class Figures:
    """Answers over the loaded generation; thread-safe.

    Durations are milliseconds, quantiles nearest rank, latency over ok requests alone. Each method
    raises FilterError for a dimension, metric, percentile or outcome that does not exist.
    """

    def __init__(self, engine: Engine, assembler: Callable[[], Assembler] = built_in_rules) -> None:
        """``assembler`` gives the hop rules a single trace is explained by, read anew each time."""
        self._engine = engine
        self._assembler = assembler

    def generation(self) -> int:
        """The generation the figures are of."""
        return self._engine.table().generation

    def newest_generation(self) -> int:
        """The store's newest generation; above ``generation()`` there is new data to take in."""
        return self._engine.newest_generation()

    def refresh(self) -> int:
        """Take in new data; figures being worked out finish on the old. Returns the generation."""
        return self._engine.refresh().generation

    def counts(self, chosen: Filter) -> Counts:
        """Requests under the filter by outcome and flag."""
        return counting.counts(self._select(chosen))

    def percentiles(
        self, chosen: Filter, metrics: tuple[str, ...], qs: tuple[float, ...], by: tuple[str, ...] = ()
    ) -> tuple[PercentileRow, ...]:
        """One row a group and metric; ``qs`` in (0, 1), ``by`` names dimensions."""
        return percentiles(self._select(chosen), metrics, tuple(map(check_quantile, qs)), by)

    def waterfall(self, chosen: Filter, q: float) -> Waterfall:
        """The bars that add to the e2e percentile ``q``."""
        return waterfall(self._select(chosen), check_quantile(q))

    def difference(self, chosen: Filter, q_low: float, q_high: float) -> Difference:
        """What the upper percentile's bars have that the lower's have not."""
        return difference(self.waterfall(chosen, q_low), self.waterfall(chosen, q_high))

    def segments(self, chosen: Filter, dimension: str, q: float) -> SegmentTable:
        """The e2e percentile ``q`` of every value of a dimension, with its share of the tail."""
        return segments(self._select(chosen), dimension, check_quantile(q))

    def heat_map(self, chosen: Filter, dimension: str, q: float) -> HeatMap:
        """Bars of every value of a dimension at its own e2e percentile ``q``."""
        return heat_map(self._select(chosen), dimension, check_quantile(q))

    def prompts(self, chosen: Filter, q: float) -> tuple[PromptFigures, ...]:
        """Every version of every prompt with its e2e and TTFT percentile ``q``, a prompt's newest first."""
        return prompt_figures(self._select(chosen), check_quantile(q))

    def series(self, chosen: Filter, metric: str, width_us: int | None = None) -> Series:
        """A metric over UTC time, in at most 120 buckets unless a width is given."""
        return series(self._select(chosen), metric, width_us)

    def requests(
        self,
        chosen: Filter,
        *,
        order: Order = "slowest",
        q: float | None = None,
        outcome: str | None = None,
        hop: str | None = None,
        flagged: bool = False,
        offset: int = 0,
        limit: int = 50,
    ) -> RequestPage:
        """A page of requests: ``slowest``, ``latest``, ``nearest`` to ``q`` or ``longest`` in ``hop``."""
        return requests(
            self._select(chosen),
            order,
            q=q,
            outcome=outcome,
            hop=hop,
            flagged=flagged,
            offset=offset,
            limit=limit,
        )

    def request(self, chosen: Filter, request_id: str) -> RequestRow | None:
        """One request, ranked under the filter; None when there is none with this id."""
        return request(self._select(chosen), request_id)

    def neighbours(self, chosen: Filter, request_id: str) -> tuple[RequestRow | None, RequestRow | None]:
        """The next slower and the next faster request by e2e under the filter."""
        return neighbours(self._select(chosen), request_id)

    def trace(self, request_id: str) -> TraceView:
        """One request's trace with its critical path.

        Raises NoDataError for an unknown request or one whose spans are not stored.
        """
        return trace_view(self._engine, self._assembler(), request_id)

    def dimension_values(self) -> dict[str, list[tuple[str | None, int]]]:
        """Values of every dimension with their request counts, load tests included."""
        return counting.dimension_values(self._engine.table())

    def time_range(self, chosen: Filter) -> tuple[int, int] | None:
        """First and last start time under the filter, UTC microseconds."""
        return counting.time_range(self._select(chosen))

    def _select(self, chosen: Filter) -> Selection:
        return select(self._engine.table(), chosen)
