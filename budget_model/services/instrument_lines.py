"""The lines of code that add what a service does not send, for the OpenTelemetry SDK and for MLflow.

``docs/INSTRUMENT.md`` shows the same lines, and tests run them. The names they assume are those of
any service: ``tracer`` is its tracer, ``root`` the span of the request, ``call`` that of the call of
the model.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lines:
    """Python lines for each library. They are ours, never from data."""

    otel: str
    mlflow: str


def _both(span: str, otel: str, mlflow: str, body: str) -> Lines:
    """Lines that differ only in how a span is begun."""
    kind = f', span_type="{mlflow}"' if mlflow else ""
    attributes = f", {otel}" if otel else ""
    return Lines(
        f'with tracer.start_as_current_span("{span}"{attributes}):\n{body}',
        f'with mlflow.start_span("{span}"{kind}):\n{body}',
    )


def _on(span: str, *attributes: tuple[str, str]) -> Lines:
    """Attributes of a span, which both libraries set in the same words."""
    text = "\n".join(f'{span}.set_attribute("{name}", {value})' for name, value in attributes)
    return Lines(text, text)


def _on_root(name: str, value: str) -> Lines:
    return Lines(
        f'root.set_attribute("{name}", {value})',
        f'mlflow.update_current_trace(tags={{"{name}": {value}}})',
    )


_FIRST_TOKEN_OTEL = """\
chat = {"gen_ai.operation.name": "chat"}
with tracer.start_as_current_span("chat", attributes=chat) as call:
    for place, token in enumerate(model.stream(prompt)):
        if place == 0:
            call.add_event("gen_ai.first_token")
        send(token)"""

_FIRST_TOKEN_MLFLOW = """\
from mlflow.entities import SpanEvent

with mlflow.start_span("chat", span_type="CHAT_MODEL") as call:
    for place, token in enumerate(model.stream(prompt)):
        if place == 0:
            call.add_event(SpanEvent("gen_ai.first_token"))
        send(token)"""

_SERVICE_OTEL = """\
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider

resource = Resource.create({"service.name": "rag-server"})
provider = TracerProvider(resource=resource)"""

_REGION_OTEL = """\
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider

named = {"service.name": "rag-server", "cloud.region": "eu-west-1"}
provider = TracerProvider(resource=Resource.create(named))"""

_NETWORK_OTEL = """\
from opentelemetry.propagate import inject
from opentelemetry.trace import SpanKind

with tracer.start_as_current_span("network.request", kind=SpanKind.CLIENT):
    headers = {}
    inject(headers)
    answer = post(url, question, headers)"""

_NETWORK_MLFLOW = """\
from mlflow.tracing import get_tracing_context_headers_for_http_request

with mlflow.start_span("network.request"):
    headers = get_tracing_context_headers_for_http_request()
    answer = post(url, question, headers)"""

_GATEWAY_OTEL = """\
from opentelemetry.propagate import extract
from opentelemetry.trace import SpanKind

came = extract(headers)
with tracer.start_as_current_span("gateway", came, SpanKind.SERVER):
    answer = handle(question)"""

_GATEWAY_MLFLOW = """\
from mlflow.tracing import set_tracing_context_from_http_request_headers

with set_tracing_context_from_http_request_headers(headers):
    with mlflow.start_span("gateway"):
        answer = handle(question)"""

_CLIENT_OTEL = """\
with tracer.start_as_current_span("client") as root:
    answer = ask(question)
    show(answer)"""

_CLIENT_MLFLOW = """\
with mlflow.start_span("client") as root:
    answer = ask(question)
    show(answer)"""

LINES: dict[str, Lines] = {
    "first token": Lines(_FIRST_TOKEN_OTEL, _FIRST_TOKEN_MLFLOW),
    "tokens": _on(
        "call",
        ("gen_ai.usage.input_tokens", "prompt_tokens"),
        ("gen_ai.usage.output_tokens", "output_tokens"),
    ),
    "model": _on("call", ("gen_ai.request.model", '"tiny-rag"')),
    "prompt": _on("call", ("gen_ai.prompt.name", '"answer"'), ("gen_ai.prompt.version", '"2"')),
    "service name": Lines(_SERVICE_OTEL, 'span.set_attribute("service.name", "rag-server")'),
    "workload": _on_root("workload", '"question"'),
    "tenant": _on_root("tenant.id", '"acme"'),
    "region": Lines(_REGION_OTEL, _on_root("cloud.region", '"eu-west-1"').mlflow),
    "client": Lines(_CLIENT_OTEL, _CLIENT_MLFLOW),
    "network": Lines(_NETWORK_OTEL, _NETWORK_MLFLOW),
    "gateway": Lines(_GATEWAY_OTEL, _GATEWAY_MLFLOW),
    "retrieval": _both("retrieve", "", "RETRIEVER", "    passages = index.search(question)"),
    "queue": _both("queue.wait", "", "", "    slots.acquire()"),
    "postprocess": _both("postprocess", "", "PARSER", "    answer = tidy(answer)"),
}
"""By what they add, in the order in which a service is best instrumented."""
