"""LiteLLM's proxy: https://docs.litellm.ai/docs/observability/opentelemetry_integration."""

from __future__ import annotations

from budget_model.domain.hops import Hop
from budget_model.normalise.vocabulary.rule import Rule, names

_ORIGIN = "LiteLLM"

RULES: tuple[Rule, ...] = (
    Rule(
        Hop.GATEWAY,
        names=names(
            *("Received Proxy Server Request", "litellm_request", "proxy_pre_call", "router", "self"),
            *("auth", "redis", "postgres", "batch_write_to_db", "reset_budget_job"),
        ),
        service="litellm",
        origin=_ORIGIN,
    ),
    Rule(Hop.GATEWAY, names=names("Received Proxy Server Request", "litellm_request"), origin=_ORIGIN),
    Rule(None, names=names("raw_gen_ai_request"), llm_call=True, origin=_ORIGIN),
    Rule(None, name="litellm.llms.*completion*", llm_call=True, origin=_ORIGIN),
)
"""``litellm_request`` is the proxy's own work around ``raw_gen_ai_request``, the call of the model."""
