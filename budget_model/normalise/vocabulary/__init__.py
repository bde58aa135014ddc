"""Names and attributes that instrumentations use, as small tables: one module a vocabulary."""

from __future__ import annotations

from budget_model.normalise.vocabulary import (
    engines,
    envoy,
    frameworks,
    gen_ai,
    generic,
    litellm,
    mlflow,
    openinference,
    openllmetry,
)
from budget_model.normalise.vocabulary.rule import Rule

BUILT_IN: tuple[Rule, ...] = (
    *engines.RULES,
    *litellm.RULES,
    *openinference.RULES,
    *mlflow.RULES,
    *openllmetry.RULES,
    *gen_ai.RULES,
    *envoy.RULES,
    *frameworks.RULES,
    *generic.RULES,
    *mlflow.MODEL_CALLS,
)
"""All built-in rules in the order they are tried; the first that matches wins."""
