"""OpenLLMetry (Traceloop): https://www.traceloop.com/docs/openllmetry/contributing/semantic-conventions."""

from __future__ import annotations

from budget_model.domain.hops import Hop
from budget_model.normalise.vocabulary.rule import Rule


def _rule(name: str, value: str, hop: Hop | None, *, llm_call: bool = False) -> Rule:
    return Rule(hop, attributes=((name, value),), llm_call=llm_call, origin="OpenLLMetry")


RULES: tuple[Rule, ...] = (
    _rule("llm.request.type", "chat", None, llm_call=True),
    _rule("llm.request.type", "completion", None, llm_call=True),
    _rule("llm.request.type", "embedding", Hop.RETRIEVAL),
    _rule("llm.request.type", "rerank", Hop.RETRIEVAL),
    _rule("traceloop.span.kind", "retriever", Hop.RETRIEVAL),
    _rule("db.vector.query.top_k", "*", Hop.RETRIEVAL),
)
"""Workflow, task, agent and tool kinds say nothing of a hop."""
