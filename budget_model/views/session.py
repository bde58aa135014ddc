"""The one workspace of this process, and its answers remembered per generation of the data.

Page runs come and go in many threads; the store and the query engine live as long as the process.
"""

from __future__ import annotations

import os
from typing import Any

import streamlit as st

from budget_model.queries.filters import Filter
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
from budget_model.records.trace_view import TraceView
from budget_model.services.workspace import Workspace
from budget_model.settings import load_settings


@st.cache_resource(show_spinner="Opening the data …")
def workspace() -> Workspace:
    """The process's workspace, opened on first use."""
    return Workspace(load_settings(None, os.environ))


# Results are frozen values, so they are shared between sessions instead of being copied for each.
@st.cache_resource(max_entries=512, show_spinner=False)
def _remembered(
    _figures: Any, generation: int, method: str, f: Filter | None, choices: tuple[Any, ...]
) -> Any:
    del generation  # part of the key only: figures of another generation are other figures
    asked = getattr(_figures, method)
    return asked(
        *(() if f is None else (f,)),
        *(value for _, value in choices if _ == ""),
        **{k: v for k, v in choices if k},
    )


class Answers:
    """The figures service with remembered answers; same methods, same results."""

    def __init__(self) -> None:
        self.figures = workspace().figures
        self.generation = self.figures.generation()

    def _ask(self, method: str, f: Filter | None, *positional: Any, **named: Any) -> Any:
        choices = tuple(("", value) for value in positional) + tuple(sorted(named.items()))
        return _remembered(self.figures, self.generation, method, f, choices)

    def has_data(self) -> bool:
        """Whether anything was imported, load tests included."""
        return any(self.dimension_values().values())

    def counts(self, f: Filter) -> Counts:
        """Requests under the filter by outcome."""
        return self._ask("counts", f)  # type: ignore[no-any-return]

    def percentiles(
        self, f: Filter, metrics: tuple[str, ...], qs: tuple[float, ...], by: tuple[str, ...] = ()
    ) -> tuple[PercentileRow, ...]:
        """Percentiles of each metric in each group."""
        return tuple(self._ask("percentiles", f, metrics, qs, by))

    def waterfall(self, f: Filter, q: float) -> Waterfall:
        """Hop bars at ``q``."""
        return self._ask("waterfall", f, q)  # type: ignore[no-any-return]

    def difference(self, f: Filter, q_low: float, q_high: float) -> Difference:
        """Two waterfalls, subtracted."""
        return self._ask("difference", f, q_low, q_high)  # type: ignore[no-any-return]

    def segments(self, f: Filter, dimension: str, q: float) -> SegmentTable:
        """One row a value of ``dimension``."""
        return self._ask("segments", f, dimension, q)  # type: ignore[no-any-return]

    def heat_map(self, f: Filter, dimension: str, q: float) -> HeatMap:
        """Segment by hop."""
        return self._ask("heat_map", f, dimension, q)  # type: ignore[no-any-return]

    def prompts(self, f: Filter, q: float) -> tuple[PromptFigures, ...]:
        """One row a version of a prompt."""
        return tuple(self._ask("prompts", f, q))

    def series(self, f: Filter, metric: str) -> Series:
        """A metric over time."""
        return self._ask("series", f, metric)  # type: ignore[no-any-return]

    def requests(self, f: Filter, **choices: Any) -> RequestPage:
        """One page of the request list."""
        return self._ask("requests", f, **choices)  # type: ignore[no-any-return]

    def request(self, f: Filter, request_id: str) -> RequestRow | None:
        """One request with its rank under the filter."""
        return self._ask("request", f, request_id)  # type: ignore[no-any-return]

    def neighbours(self, f: Filter, request_id: str) -> tuple[RequestRow | None, RequestRow | None]:
        """The next slower and the next faster request."""
        return self._ask("neighbours", f, request_id)  # type: ignore[no-any-return]

    def trace(self, request_id: str) -> TraceView | None:
        """All that is known of a request's trace; read anew each time, as a trace may be large."""
        return self.figures.trace(request_id)

    def dimension_values(self) -> dict[str, list[tuple[str | None, int]]]:
        """Every value of every dimension with its count."""
        return self._ask("dimension_values", None)  # type: ignore[no-any-return]

    def time_range(self, f: Filter) -> tuple[int, int] | None:
        """First and last start under the filter, in UTC microseconds."""
        return self._ask("time_range", f)  # type: ignore[no-any-return]
