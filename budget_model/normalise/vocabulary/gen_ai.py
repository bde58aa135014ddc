"""OpenTelemetry's semantic conventions for generative AI.

https://github.com/open-telemetry/semantic-conventions-genai and the older
https://opentelemetry.io/docs/specs/semconv/gen-ai/; spans are named "{operation} {model or target}".
"""

from __future__ import annotations

from budget_model.domain.hops import Hop
from budget_model.normalise.vocabulary.rule import Rule

_OPERATION = "gen_ai.operation.name"
_HOPS: dict[str, Hop] = {"embeddings": Hop.RETRIEVAL, "retrieval": Hop.RETRIEVAL}
_CALLS = ("chat", "text_completion", "generate_content", "completion", "generate")
_LEFT_TO_PARENT = ("invoke_agent", "create_agent", "execute_tool", "invoke_workflow", "plan")


def _operation(value: str, hop: Hop | None, *, llm_call: bool = False) -> Rule:
    return Rule(hop, attributes=((_OPERATION, value),), llm_call=llm_call, origin="GenAI conventions")


def _named(value: str, hop: Hop | None, *, llm_call: bool = False) -> Rule:
    return Rule(hop, name=f"{value} *", llm_call=llm_call, origin="GenAI conventions")


RULES: tuple[Rule, ...] = (
    *(_operation(value, None, llm_call=True) for value in _CALLS),
    *(_operation(value, hop) for value, hop in _HOPS.items()),
    *(_operation(value, None) for value in _LEFT_TO_PARENT),
    *(_named(value, None, llm_call=True) for value in _CALLS),
    *(_named(value, hop) for value, hop in _HOPS.items()),
    *(_named(value, None) for value in _LEFT_TO_PARENT),
)
"""By operation name, then by the first word of the span's name. Tools and agents stay with their parent."""

FIRST_TOKEN_SECONDS = (
    "gen_ai.latency.time_to_first_token",
    "gen_ai.response.time_to_first_chunk",
    "gen_ai.server.time_to_first_token",
    "gen_ai.response.time_to_first_token",
)
"""Attributes with the seconds from the span's start to its first token (or its first chunk)."""

FIRST_TOKEN_MS = ("ttft_ms", "llm.ttft_ms", "time_to_first_token_ms")
"""The same in milliseconds; the unit is in the name."""

FIRST_TOKEN_EVENTS = frozenset(
    {"first_token", "gen_ai.first_token", "llm.first_token", "first token", "gen_ai.content.first_token"}
    | {"First Token Stream Event", "llm.content.first_token", "gen_ai.response.first_chunk"}
    | {"mlflow.chunk.item.0"}
)
"""Span events that mark the first token. OpenInference writes "First Token Stream Event"."""

FIRST_ANSWER_EVENTS = frozenset({"first_answer_token", "llm.first_answer_token", "gen_ai.first_answer_token"})
"""Span events that mark the first token of the answer, after any reasoning."""
