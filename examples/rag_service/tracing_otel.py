"""Instrumented with the OpenTelemetry SDK: OTLP over HTTP, or a file of OTLP JSON lines."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict
from opentelemetry import context as contexts
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from examples.rag_service.tracing import INTERNAL, Attributes, SpanHandle

_IDS = ("traceId", "spanId", "parentSpanId")


class OtelSpan:
    """One span of the OpenTelemetry SDK."""

    def __init__(self, span: trace.Span) -> None:
        self.span = span

    @property
    def trace_ids(self) -> dict[str, str]:
        """The id under ``otel``."""
        return {"otel": format(self.span.get_span_context().trace_id, "032x")}

    def headers(self) -> dict[str, str]:
        """The W3C ``traceparent``."""
        found: dict[str, str] = {}
        TraceContextTextMapPropagator().inject(found, trace.set_span_in_context(self.span))
        return found

    def set(self, attributes: Attributes) -> None:
        """Add attributes."""
        self.span.set_attributes(attributes)

    def event(self, name: str, at_ns: int) -> None:
        """Mark a moment."""
        self.span.add_event(name, timestamp=at_ns)

    def fail(self, message: str) -> None:
        """Set the status to ERROR."""
        self.span.set_status(trace.Status(trace.StatusCode.ERROR, message))

    def end(self, at_ns: int) -> None:
        """End the span."""
        self.span.end(end_time=at_ns)


class OtelTracing:
    """A tracer whose resource says which service and region the spans are from."""

    def __init__(self, exporter: SpanExporter, resource: Attributes) -> None:
        self._provider = TracerProvider(resource=Resource.create(dict(resource)))
        self._provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=500))
        self._tracer = self._provider.get_tracer("rag_service")
        # Where one resource of a trace survives, this attribute still tells the services apart.
        self._own = {"service.name": str(resource["service.name"])}

    def begin(
        self,
        name: str,
        at_ns: int,
        attributes: Attributes,
        parent: SpanHandle | None = None,
        kind: str = INTERNAL,
    ) -> OtelSpan:
        """Begin a span that records ``service.name`` itself, beside its resource."""
        above = trace.set_span_in_context(parent.span) if isinstance(parent, OtelSpan) else None
        return OtelSpan(
            self._tracer.start_span(
                name,
                context=above,
                kind=trace.SpanKind[kind],
                attributes={**self._own, **attributes},
                start_time=at_ns,
            )
        )

    @contextmanager
    def received(self, headers: Mapping[str, str]) -> Iterator[None]:
        """Take the caller's span from ``traceparent``."""
        token = contexts.attach(TraceContextTextMapPropagator().extract(headers))
        try:
            yield
        finally:
            contexts.detach(token)

    def close(self) -> None:
        """Send what has not been sent."""
        self._provider.shutdown()


class OtlpFile(SpanExporter):
    """A file of OTLP JSON lines, one export request a line, as the Collector's file exporter writes it."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="utf-8")

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Append a line."""
        self._file.write(json.dumps(_with_hex_ids(MessageToDict(encode_spans(spans)))) + "\n")
        self._file.flush()
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        """Nothing is written after this."""
        self._file.close()


def otlp_over_http(url: str) -> SpanExporter:
    """An exporter to an OTLP endpoint; OTEL_EXPORTER_OTLP_TRACES_HEADERS adds headers."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter(endpoint=url)


def _with_hex_ids(found: Any) -> Any:
    """OTLP writes ids in hexadecimal, where protobuf's own JSON has base64."""
    if isinstance(found, list):
        return [_with_hex_ids(one) for one in found]
    if isinstance(found, dict):
        return {
            name: base64.b64decode(value).hex() if name in _IDS else _with_hex_ids(value)
            for name, value in found.items()
        }
    return found
