"""MLflow span types: https://mlflow.org/docs/latest/genai/concepts/span/."""

from __future__ import annotations

from budget_model.domain.hops import Hop
from budget_model.normalise.vocabulary.rule import Rule


def _type(value: str, hop: Hop | None, *, llm_call: bool = False) -> Rule:
    return Rule(hop, attributes=(("mlflow.spanType", value),), llm_call=llm_call, origin="MLflow")


RULES: tuple[Rule, ...] = (
    _type("RETRIEVER", Hop.RETRIEVAL),
    _type("EMBEDDING", Hop.RETRIEVAL),
    _type("RERANKER", Hop.RETRIEVAL),
    _type("PARSER", Hop.POSTPROCESS),
    _type("GUARDRAIL", Hop.POSTPROCESS),
)
"""CHAIN, AGENT, TOOL and WORKFLOW say nothing of a hop. MLflow may quote the type as JSON text."""

MODEL_CALLS: tuple[Rule, ...] = (
    _type("CHAT_MODEL", None, llm_call=True),
    _type("LLM", None, llm_call=True),
)
"""Looked at after names: MLflow also gives these types to spans it received over OTLP that merely tell
which model they serve, a ``queue`` or a ``prefill`` among them."""
