"""Attribute names that carry segments, token counts and durations, in the order they are believed.

OpenTelemetry resource and deployment conventions: https://opentelemetry.io/docs/specs/semconv/.
No convention standardises tenant or workload, so those lists are what products really write.
"""

from __future__ import annotations

DIMENSIONS: dict[str, tuple[str, ...]] = {
    "workload": (
        *("workload", "workload.name", "app.workload", "use_case", "feature", "endpoint.name"),
        *("workflow.name", "traceloop.workflow.name", "http.route", "service.name"),
    ),
    "tenant": (
        *("tenant.id", "tenant", "tenant_id", "tenant.name", "metadata.user_api_key_team_id"),
        *("metadata.user_api_key_team_alias", "metadata.user_api_key_org_id", "customer.id", "org.id"),
        *("organization.id", "enduser.tenant", "account.id", "user.id", "enduser.id", "mlflow.trace.user"),
    ),
    "region": ("cloud.region", "region", "gen_ai.region", "deployment.region", "cloud.availability_zone"),
    "model": (
        *("gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "mlflow.llm.model", "model"),
        *("llm.request.model", "llm.response.model", "model_name", "model.name"),
    ),
    "hardware": (
        *("hardware", "gpu.model", "accelerator.type", "hw.model", "gpu.name", "gpu.type", "host.type"),
    ),
    "prompt_name": ("gen_ai.prompt.name", "prompt.name", "prompt_name", "llm.prompt_template.name"),
    "prompt_version": (
        *("gen_ai.prompt.version", "prompt.version", "prompt_version", "llm.prompt_template.version"),
    ),
    "environment": (
        *("deployment.environment.name", "deployment.environment", "environment", "env"),
        *("service.environment",),
    ),
    "load_test": ("load_test", "load_test.name", "loadtest", "load_test.id", "test.run.id"),
    "stage": ("stage", "load_test.stage", "loadtest.stage"),
}
"""Dimension to attribute names; the first name present on a span or its resource is taken."""

TOKENS: dict[str, tuple[str, ...]] = {
    "prompt_tokens": (
        *("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"),
        *("llm.usage.prompt_tokens", "prompt_tokens", "input_tokens", "usage.prompt_tokens"),
        *("usage.input_tokens", "llm.input_tokens"),
    ),
    "output_tokens": (
        *("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"),
        *("llm.usage.completion_tokens", "completion_tokens", "output_tokens", "usage.completion_tokens"),
        *("usage.output_tokens", "llm.output_tokens"),
    ),
}
"""Token count to attribute names."""

TOKEN_USAGE = ("mlflow.chat.tokenUsage", "mlflow.trace.tokenUsage")
"""Attributes with a JSON object of ``input_tokens`` and ``output_tokens``."""

USAGE_EVENTS = frozenset({"metadata", "gen_ai.usage", "usage"})
"""Span events whose attributes carry token counts (Monocle writes ``metadata``)."""

LINKED_PROMPTS = ("mlflow.linkedPrompts",)
"""Attributes with a JSON list of objects of ``name`` and ``version``; the first is taken."""

ATTEMPT = (
    *("http.request.resend_count", "gen_ai.retry.attempt", "retry.attempt", "retry_count", "retry.count"),
    *("attempt", "llm.attempt", "attempt_number", "gen_ai.attempt", "x-litellm-attempted-retries"),
)
"""Attributes that number the attempts of one piece of work, rising."""

DURATION: dict[str, int] = {
    "duration_ms": 1_000_000,
    "duration.ms": 1_000_000,
    "latency_ms": 1_000_000,
    "elapsed_ms": 1_000_000,
    "execution_time_ms": 1_000_000,
    "duration_s": 1_000_000_000,
    "duration_seconds": 1_000_000_000,
    "elapsed_seconds": 1_000_000_000,
    "duration_us": 1_000,
    "duration_ns": 1,
}
"""Attributes that repeat a span's duration, with the nanoseconds in their unit."""

CANCELLED_VALUES = frozenset(
    {"cancelled", "canceled", "context canceled", "cancellederror", "asyncio.cancellederror", "abort"}
    | {"aborted", "client disconnected", "request cancelled", "request canceled", "client_disconnected"}
)
"""Status messages and values of ``CANCELLED_NAMES`` that mean the caller gave up."""

CANCELLED_NAMES = ("error.type", "cancelled", "canceled", "rpc.grpc.status_code")
"""Attributes that can say so; ``cancelled = true`` does, and gRPC status 1."""
