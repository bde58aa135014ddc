"""Which source and which normaliser read a format."""

from __future__ import annotations

from dataclasses import dataclass

from budget_model.normalise import (
    event_log,
    jaeger,
    mlflow_trace,
    otel_sdk,
    otlp,
    request_log,
    span_list,
    zipkin,
)
from budget_model.records.raw import Normaliser, Source
from budget_model.sources import documents, lines
from budget_model.sources import event_log as event_log_source
from budget_model.sources import jaeger as jaeger_source
from budget_model.sources import mlflow_trace as mlflow_source
from budget_model.sources import otel_sdk as sdk_source
from budget_model.sources import request_log as request_log_source
from budget_model.sources import span_list as span_list_source
from budget_model.sources import zipkin as zipkin_source


@dataclass(frozen=True, slots=True)
class Reader:
    """How a format is read; ``can_cut`` says whether its lines stand for themselves."""

    read: Source
    normalise: Normaliser
    can_cut: bool = False


_READERS = {
    "otlp-json": Reader(documents.read, otlp.normalise),
    "otlp-jsonl": Reader(lines.read, otlp.normalise, can_cut=True),
    "otel-sdk-json": Reader(sdk_source.read, otel_sdk.normalise),
    "span-list": Reader(span_list_source.read, span_list.normalise),
    "jaeger": Reader(jaeger_source.read, jaeger.normalise),
    "zipkin": Reader(zipkin_source.read, zipkin.normalise),
    "mlflow-trace": Reader(mlflow_source.read, mlflow_trace.normalise, can_cut=True),
    "event-log": Reader(event_log_source.read, event_log.normalise),
    "request-log": Reader(request_log_source.read, request_log.normalise),
}


def reader_of(format_name: str) -> Reader:
    """The reader of a format by its name. Raises KeyError for a name that ``detect`` does not know."""
    return _protobuf() if format_name == "otlp-protobuf" else _READERS[format_name]


def _protobuf() -> Reader:
    # The protobuf library takes a tenth of a second to load, which no other format needs.
    from budget_model.normalise import otlp_protobuf
    from budget_model.sources import otlp_protobuf as source

    return Reader(source.read, otlp_protobuf.normalise)
