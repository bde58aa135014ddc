"""A service that traces as little as it can, and runs other lines inside its one request."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Semaphore
from types import SimpleNamespace
from typing import Any

from opentelemetry.propagate import inject
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from examples.rag_service.tracing_otel import OtlpFile


def surroundings() -> dict[str, Any]:
    """What the lines of the guide take for granted in a service."""

    def stream(prompt: str) -> Iterator[str]:
        yield from prompt.split()

    def echo(*given: Any) -> Any:
        return given[0]

    named = ("ask", "show", "post", "handle", "tidy", "send")
    return {
        "model": SimpleNamespace(stream=stream),
        "index": SimpleNamespace(search=echo),
        "slots": Semaphore(9),
        "url": "http://127.0.0.1",
        **dict.fromkeys(named, echo),
        **dict.fromkeys(("question", "prompt", "answer"), "why does a queue form"),
        **{"prompt_tokens": 5, "output_tokens": 5},
    }


def trace_with_otel(path: Path, lines: Iterable[str], service: str = "app") -> None:
    """One request to an OTLP file, a call of a model inside, and ``lines`` inside that."""
    known = surroundings()
    lines = list(lines)
    for one in lines:
        if "provider = " in one:
            exec(one, known)
    provider = known.get("provider") or TracerProvider(resource=Resource.create({"service.name": service}))
    provider.add_span_processor(SimpleSpanProcessor(OtlpFile(path)))
    known["tracer"] = tracer = provider.get_tracer("app")
    with tracer.start_as_current_span("request") as root, tracer.start_as_current_span("llm.call") as call:
        known |= {"root": root, "call": call, "headers": {}}
        inject(known["headers"])
        for one in lines:
            exec(one, dict(known))
    provider.shutdown()


def trace_with_mlflow(lines: Iterable[str]) -> None:
    """The same request to the server and the experiment that the surroundings name."""
    import mlflow

    known = {**surroundings(), "mlflow": mlflow}
    with (
        mlflow.start_span("request") as root,
        mlflow.start_span("llm.call", span_type="CHAT_MODEL") as call,
    ):
        known |= {"root": root, "call": call, "span": call}
        known["headers"] = mlflow.tracing.get_tracing_context_headers_for_http_request()
        for one in lines:
            exec(one, dict(known))
    mlflow.flush_trace_async_logging()


if __name__ == "__main__":
    trace_with_mlflow(json.load(sys.stdin))
