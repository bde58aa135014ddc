"""OpenInference span kinds (Phoenix, Arize): https://github.com/Arize-ai/openinference/blob/main/spec."""

from __future__ import annotations

from budget_model.domain.hops import Hop
from budget_model.normalise.vocabulary.rule import Rule


def _kind(value: str, hop: Hop | None, *, llm_call: bool = False) -> Rule:
    attributes = (("openinference.span.kind", value),)
    return Rule(hop, attributes=attributes, llm_call=llm_call, origin="OpenInference")


RULES: tuple[Rule, ...] = (
    _kind("LLM", None, llm_call=True),
    _kind("RETRIEVER", Hop.RETRIEVAL),
    _kind("EMBEDDING", Hop.RETRIEVAL),
    _kind("RERANKER", Hop.RETRIEVAL),
    _kind("GUARDRAIL", Hop.POSTPROCESS),
)
"""CHAIN, AGENT and TOOL say nothing of a hop: their names and their parents decide."""
