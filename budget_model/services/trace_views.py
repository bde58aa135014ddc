"""One request opened: from its stored spans, or from its fact when it came as a row."""

from __future__ import annotations

from budget_model.errors import NoDataError
from budget_model.normalise.explain import explain
from budget_model.queries.engine import Engine
from budget_model.queries.facts import fact_of
from budget_model.queries.spans import spans_of_trace
from budget_model.records.trace_view import TraceView
from budget_model.services.making import Assembler
from budget_model.services.row_view import row_view

ROW = "row"


def trace_view(engine: Engine, assembler: Assembler, request_id: str) -> TraceView:
    """The trace of a request; when it holds several requests, all of them.

    Raises NoDataError for an unknown request or one whose spans are not stored, StoreError when
    segments cannot be read, and MappingError for unusable hop rules.
    """
    table = engine.table()
    fact = fact_of(table, request_id)
    if fact is None:
        raise NoDataError(f"there is no request {request_id!r}")
    if fact.source_kind == ROW:
        return row_view(fact)
    spans = spans_of_trace(table, engine.span_paths(), fact.trace_id, fact.trace_key)
    if not spans:
        raise NoDataError(f"the spans of request {request_id!r} are not stored")
    return explain(spans, assembler.rules(), assembler.correct_skew)
