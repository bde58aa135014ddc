"""Which source and which normaliser read a format."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from budget_model.records.raw import Normaliser, Source


@dataclass(frozen=True, slots=True)
class Reader:
    """How a format is read; ``can_cut`` says whether its lines stand for themselves."""

    read: Source
    normalise: Normaliser
    can_cut: bool = False


_MODULES = {
    "otlp-json": ("documents", "otlp"),
    "otlp-jsonl": ("lines", "otlp"),
    "otlp-protobuf": ("otlp_protobuf", "otlp_protobuf"),
    "otel-sdk-json": ("otel_sdk", "otel_sdk"),
    "span-list": ("span_list", "span_list"),
    "jaeger": ("jaeger", "jaeger"),
    "zipkin": ("zipkin", "zipkin"),
    "event-log": ("event_log", "event_log"),
    "request-log": ("request_log", "request_log"),
}
_CUT = ("otlp-jsonl",)


def reader_of(format_name: str) -> Reader:
    """The reader of a format by its name. Raises KeyError for a name that ``detect`` does not know."""
    source, normaliser = _MODULES[format_name]
    return Reader(
        import_module(f"budget_model.sources.{source}").read,
        import_module(f"budget_model.normalise.{normaliser}").normalise,
        format_name in _CUT,
    )
