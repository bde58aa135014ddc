"""Instrumented with MLflow tracing, to the server of MLFLOW_TRACKING_URI."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import mlflow
from mlflow.entities import LiveSpan, SpanEvent
from mlflow.tracing import set_tracing_context_from_http_request_headers

from examples.rag_service.tracing import INTERNAL, Attributes, SpanHandle

# A header of its own, because the OpenTelemetry tracer beside it sends ``traceparent`` for its trace.
HEADER = "mlflow-traceparent"

TAGS = ("tenant.id", "workload", "cloud.region", "gen_ai.prompt.name", "gen_ai.prompt.version")
"""Attributes of a root that become tags of its trace, by which MLflow can search."""

SETTINGS = {
    # In batches, spans below another process's are looked up when the request is over and forgotten.
    "MLFLOW_USE_BATCH_SPAN_PROCESSOR": "false",
    # Each thread of the export first asks for the server's version, for three seconds and without a
    # second try; where one gets no answer, the process sends no spans from then on. One asks, not ten.
    "MLFLOW_ASYNC_TRACE_LOGGING_MAX_WORKERS": "1",
    "MLFLOW_ASYNC_TRACE_LOGGING_MAX_QUEUE_SIZE": "10000",
}
"""With MLflow's defaults (3.17.2) spans of a service under load are dropped without a message."""

_TYPES = {"client": "CHAIN", "gateway": "CHAIN", "retrieve": "RETRIEVER", "embed_query": "EMBEDDING"}


class MlflowSpan:
    """One live span of MLflow."""

    def __init__(self, span: LiveSpan) -> None:
        self.span = span

    @property
    def trace_ids(self) -> dict[str, str]:
        """The id under ``mlflow``, without MLflow's ``tr-``."""
        return {"mlflow": self.span.trace_id.removeprefix("tr-")}

    def headers(self) -> dict[str, str]:
        """The span as a W3C trace context."""
        return {HEADER: f"00-{self.trace_ids['mlflow']}-{self.span.span_id}-01"}

    def set(self, attributes: Attributes) -> None:
        """Add attributes."""
        self.span.set_attributes(dict(attributes))

    def event(self, name: str, at_ns: int) -> None:
        """Mark a moment."""
        self.span.add_event(SpanEvent(name, timestamp=at_ns))  # type: ignore[abstract]

    def fail(self, message: str) -> None:
        """Set the status to ERROR; MLflow's status carries no words, so they are an attribute."""
        self.span.set_status("ERROR")
        self.span.set_attribute("error.type", message)

    def end(self, at_ns: int) -> None:
        """End the span; MLflow sends it from a thread of its own."""
        self.span.end(end_time_ns=at_ns)


class MlflowTracing:
    """Live spans in an experiment; ``resource`` goes on each span, as MLflow keeps none."""

    def __init__(self, experiment: str, resource: Attributes) -> None:
        for name, value in SETTINGS.items():
            os.environ.setdefault(name, value)
        mlflow.set_experiment(experiment)
        self._resource = dict(resource)

    def begin(
        self,
        name: str,
        at_ns: int,
        attributes: Attributes,
        parent: SpanHandle | None = None,
        kind: str = INTERNAL,  # noqa: ARG002
    ) -> MlflowSpan:
        """Begin a span. ``kind`` is not told: MLflow has types of spans, but no kinds."""
        above = parent.span if isinstance(parent, MlflowSpan) else None
        known: dict[str, Any] = {**self._resource, **attributes}
        return MlflowSpan(
            mlflow.start_span_no_context(
                name,
                span_type=_TYPES.get(name, "CHAT_MODEL" if name.startswith("chat ") else "UNKNOWN"),
                parent_span=above,
                attributes=known,
                tags={tag: str(known[tag]) for tag in TAGS if tag in known} if name == "client" else None,
                start_time_ns=at_ns,
            )
        )

    @contextmanager
    def received(self, headers: Mapping[str, str]) -> Iterator[None]:
        """Take the caller's span from the header, if it sent one."""
        if HEADER not in headers:
            yield
            return
        with set_tracing_context_from_http_request_headers({"traceparent": headers[HEADER]}):
            yield

    def close(self) -> None:
        """Wait until everything has been sent."""
        mlflow.flush_trace_async_logging()
