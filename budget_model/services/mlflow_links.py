"""Where MLflow's own pages show a trace."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from budget_model.normalise.mlflow_info import EXPERIMENT_ID, PAGES, TRACE_ID
from budget_model.records.trace_view import TraceView


def page_of(trace: TraceView) -> str | None:
    """The address of the trace on the server it was read from; None when it came some other way.

    Only http and https addresses are given, since a trace could say anything.
    """
    for row in trace.rows:
        pages, experiment = row.resource.get(PAGES), row.resource.get(EXPERIMENT_ID)
        trace_id = row.attributes.get(TRACE_ID)
        if pages and experiment and trace_id and urlsplit(str(pages)).scheme in ("http", "https"):
            place = f"experiments/{quote(str(experiment), safe='')}/traces"
            return f"{pages}/#/{place}?selectedEvaluationId={quote(str(trace_id), safe='')}"
    return None
