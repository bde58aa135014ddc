"""Prompt versions from MLflow's database, where they are versions of registered models with tags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budget_model.records.mlflow import MOST_PROMPT_CHARS, PromptVersion
from budget_model.sources.mlflow.database import MlflowDatabase
from budget_model.sources.mlflow.prompts_api import CHAT, IS_PROMPT, TEXT, TYPE

PROMPTS_AT_ONCE = 100
"""Versions in one question, each with up to a hundred thousand characters."""

_PAGE = (
    "SELECT v.name, v.version, v.creation_time, length(t.value), "
    "CASE WHEN length(t.value) <= :longest THEN t.value END, k.value "
    "FROM model_versions v "
    "JOIN model_version_tags p ON p.name = v.name AND p.version = v.version AND p.key = :is_prompt "
    "LEFT JOIN model_version_tags t ON t.name = v.name AND t.version = v.version AND t.key = :text "
    "LEFT JOIN model_version_tags k ON k.name = v.name AND k.version = v.version AND k.key = :type "
    "WHERE p.value = 'true' AND coalesce(v.current_stage, '') <> 'Deleted_Internal' "
    "AND (v.name > :last_name OR (v.name = :last_name AND v.version > :last_version)) "
    "ORDER BY v.name, v.version LIMIT :most"
)
_NAMES = {"is_prompt": IS_PROMPT, "text": TEXT, "type": TYPE, "longest": MOST_PROMPT_CHARS}


class PromptsByDatabase:
    """Prompt versions of one database whose schema is known."""

    _database: MlflowDatabase

    def prompts(self) -> Iterator[list[PromptVersion]]:
        """Pages of prompt versions by name and number, those deleted left out."""
        last = {"last_name": "", "last_version": 0}
        while found := list(self._database.rows(_PAGE, {**_NAMES, **last, "most": PROMPTS_AT_ONCE})):
            yield [_prompt(row) for row in found]
            last = {"last_name": found[-1][0], "last_version": found[-1][1]}


def _prompt(row: tuple[Any, ...]) -> PromptVersion:
    name, version, created_ms, chars, text, kind = row
    return PromptVersion(
        name=name,
        version=str(version),
        text="" if not chars else text,
        chars=chars or 0,
        is_chat=kind == CHAT,
        created_ms=created_ms or None,
    )
