"""Which format a decoded JSON value belongs to, judged by the names it uses.

A shape is looked at in the beginning of a file only, so a test may rely on names being present but
never on a list being complete.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Shape:
    """A format by name, how it is recognised, and whether this version reads it."""

    name: str
    matches: Callable[[Any], bool]
    is_read: bool = True


def format_of(value: Any) -> Shape | None:
    """The first shape that matches a decoded JSON value, or None."""
    return next((shape for shape in SHAPES if shape.matches(value)), None)


def _has(value: Any, *names: str) -> bool:
    return isinstance(value, dict) and all(name in value for name in names)


def _any_of(value: Any, *names: str) -> bool:
    return isinstance(value, dict) and any(name in value for name in names)


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


def _inner(value: Any, name: str) -> Any:
    """The object under ``name``, or the first object of the list there."""
    found = value.get(name) if isinstance(value, dict) else None
    return _first(found) if isinstance(found, list) else found


def _is_otlp(value: Any) -> bool:
    return _any_of(value, "resourceSpans", "resource_spans")


def _is_jaeger(value: Any) -> bool:
    trace = _inner(value, "data") if isinstance(value, dict) and "data" in value else value
    trace = _first(trace) or trace
    return _has(trace, "spans") and (
        _any_of(trace, "traceID", "processes") or _has(_inner(trace, "spans"), "traceID")
    )


def _is_zipkin(value: Any) -> bool:
    record = _first(_first(value)) or _first(value)
    return _has(record, "traceId", "id") and not _any_of(record, "spanId")


def _is_sdk_span(value: Any) -> bool:
    span = _first(value) or value
    return _has(_inner(span, "context"), "trace_id", "span_id") and not _has(span, "data")


def _is_span_list(value: Any) -> bool:
    span = _inner(value, "spans") if isinstance(value, dict) and "spans" in value else _first(value) or value
    return _has(span, "trace_id", "span_id") and _any_of(span, "start_time", "name", "start_time_unix_nano")


def _is_mlflow_trace(value: Any) -> bool:
    trace = _first(value) or value
    if _has(trace, "trace"):
        trace = trace["trace"]
    info = _inner(trace, "info") or _inner(trace, "trace_info")
    return _any_of(trace, "info", "trace_info") and _any_of(
        info,
        "trace_id",
        "trace_location",
        "request_id",
        "execution_time_ms",
        "trace_metadata",
        "request_metadata",
    )


def looks_like_mlflow_traces(text: str) -> bool:
    """Whether text that is no JSON as a whole is a list of MLflow traces of which one is broken."""
    return _MLFLOW_LIST.match(text) is not None and _MLFLOW_INFO.search(text) is not None


def _is_event(value: Any) -> bool:
    return _has(value, "event") and _any_of(value, *_REQUEST_IDS)


def _is_request(value: Any) -> bool:
    return is_request_row(list(value)) if isinstance(value, dict) else False


RUNS = ("an MLflow run table", "an MLflow run list")
"""What holds runs of load tests, which come in by a command of their own."""

_MLFLOW_INFO_NAMES = (
    *("trace_id", "trace_location", "request_id", "execution_time_ms", "trace_metadata"),
    "request_metadata",
)
_MLFLOW_LIST = re.compile(r'\[\s*\{\s*"(?:info|trace|trace_info)"')
_MLFLOW_INFO = re.compile(r'"(?:info|trace_info)"\s*:\s*\{[^{}]{0,400}?"(?:trace_id|request_id)"')
_REQUEST_IDS = ("request_id", "requestId", "request", "trace_id", "id")
_TIMED = ("_ms", "_us", "_ns", "_s", "_sec", "_seconds")
_REQUEST_WORDS = (
    "duration",
    "latency",
    "e2e",
    "ttft",
    "elapsed time",
    "contexttokens",
    "prompt_tokens",
    "input_length",
    "output_length",
    "input_tokens",
    "request tokens",
    "num_prefill_tokens",
)


def is_event_row(columns: list[str]) -> bool:
    """Whether a table with these columns has one event a row."""
    names = {column.strip().lower() for column in columns}
    return "event" in names and bool(names & {name.lower() for name in _REQUEST_IDS})


def is_request_row(columns: list[str]) -> bool:
    """Whether a table with these columns has one request a row: a duration or a token count."""
    names = [column.strip().lower() for column in columns]
    return any(name.endswith(_TIMED) or name.startswith(_REQUEST_WORDS) for name in names)


def foreign_table(columns: list[str]) -> str | None:
    """The name of a known table that holds no requests, or None."""
    names = {column.strip().lower() for column in columns}
    if "run_id" in names and any(name.startswith(("metrics.", "params.")) for name in names):
        return RUNS[0]
    if "trace_metadata" in names or {"trace_id", "execution_duration"} <= names:
        return "an MLflow trace export"
    if any(name.startswith("time_stats.") for name in names) or names & {
        "batch_execution_time",
        "tensor_parallel",
    }:
        return "an engine or operator profile"
    if "config name" in names:
        return "a GenAI-Perf comparison table"
    if {"metric", "avg"} <= names:
        return "an AIPerf summary table"
    if "run info" in names:
        return "a GuideLLM benchmark table"
    return "a load-test summary table" if {"mean_ttft_ms"} <= names or "median_ttft_ms" in names else None


SHAPES: tuple[Shape, ...] = (
    Shape("otlp", _is_otlp),
    Shape("an OTLP metrics export", lambda v: _has(v, "resourceMetrics"), is_read=False),
    Shape("an OTLP logs export", lambda v: _has(v, "resourceLogs"), is_read=False),
    Shape("mlflow-trace", _is_mlflow_trace),
    Shape("jaeger", _is_jaeger),
    Shape("zipkin", _is_zipkin),
    Shape("otel-sdk-json", _is_sdk_span),
    Shape("span-list", _is_span_list),
    Shape(RUNS[1], lambda v: _has(_inner(v, "runs"), "info", "data"), is_read=False),
    Shape("an AIPerf summary", lambda v: _any_of(v, "aiperf_version", "records"), is_read=False),
    Shape(
        "a vLLM or SGLang benchmark result",
        lambda v: (
            _any_of(v, "request_throughput", "output_throughput") or _has(v, "num_prompts", "request_rate")
        ),
        is_read=False,
    ),
    Shape("a vLLM latency benchmark result", lambda v: _has(v, "avg_latency", "latencies"), is_read=False),
    Shape(
        "a GuideLLM benchmark report",
        lambda v: _has(v, "benchmarks") or _has(v, "metadata", "args"),
        is_read=False,
    ),
    Shape("an AIPerf record export", lambda v: _has(v, "metadata", "metrics"), is_read=False),
    Shape("a GenAI-Perf export", lambda v: _any_of(v, "experiments", "Results"), is_read=False),
    Shape("an LLMPerf result", lambda v: _has(_first(v), "inter_token_latency_s"), is_read=False),
    Shape(
        "an LLMPerf summary", lambda v: _any_of(v, "mean_input_tokens", "results_ttft_s_mean"), is_read=False
    ),
    Shape(
        "an inference-perf report",
        lambda v: _any_of(v, "load_summary", "successes", "failures"),
        is_read=False,
    ),
    Shape("event-log", _is_event),
    Shape("request-log", _is_request),
)
"""Every shape known, most specific first. A format that is not read is refused by its name."""
