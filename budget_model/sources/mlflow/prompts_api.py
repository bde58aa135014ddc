"""Prompt versions over MLflow's REST API, which keeps them as versions of registered models with tags."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from budget_model.errors import RemoteError
from budget_model.records.mlflow import MOST_PROMPT_CHARS, PromptVersion
from budget_model.records.rejects import excerpt
from budget_model.sources.mlflow.http import MlflowApi
from budget_model.sources.mlflow.pages import Page, decoded, pages

PROMPTS_AT_ONCE = 100
"""Versions in one page, each with up to a hundred thousand characters."""

IS_PROMPT, TEXT, TYPE, CHAT = "mlflow.prompt.is_prompt", "mlflow.prompt.text", "_mlflow_prompt_type", "chat"
"""Tags of a version, and the type of one that is a list of messages."""

_SEARCH = "/api/2.0/mlflow/model-versions/search"


class _Tag(msgspec.Struct):
    key: str = ""
    value: str = ""


class OnRegistry(msgspec.Struct):
    """One version as the registry writes it; times may come as text."""

    name: str
    version: str
    creation_timestamp: int | str | None = None
    tags: list[_Tag] = msgspec.field(default_factory=list)


class Versions(Page):
    """A page of versions, the newest first."""

    model_versions: list[OnRegistry] = msgspec.field(default_factory=list)


def ask_registry(api: MlflowApi, token: str, most: int) -> Versions:
    """A page of prompt versions. Raises RemoteError; RemoteRefusalError where there is no registry."""
    params = {
        "filter": f"tags.`{IS_PROMPT}` = 'true'",
        "max_results": most,
        "order_by": ["creation_timestamp DESC"],
        "page_token": token,
    }
    return decoded(api.get(_SEARCH, params), Versions, api.base_url)


class PromptsByApi:
    """Prompt versions of one server."""

    _api: MlflowApi

    def prompts(self) -> Iterator[list[PromptVersion]]:
        """Pages of prompt versions, the newest first, those deleted left out."""

        def ask(token: str) -> Versions:
            return ask_registry(self._api, token, PROMPTS_AT_ONCE)

        for page in pages(ask, self._api.base_url):
            if page.model_versions:
                yield [self._prompt(one) for one in page.model_versions]

    def _prompt(self, one: OnRegistry) -> PromptVersion:
        tags = {tag.key: tag.value for tag in one.tags}
        text = tags.get(TEXT, "")
        try:
            created_ms = int(one.creation_timestamp or 0) or None
        except ValueError as problem:
            raise RemoteError(
                f"{self._api.base_url}: a prompt cannot be used: {excerpt(problem)}"
            ) from problem
        return PromptVersion(
            name=one.name,
            version=one.version,
            text=text if len(text) <= MOST_PROMPT_CHARS else None,
            chars=len(text),
            is_chat=tags.get(TYPE) == CHAT,
            created_ms=created_ms,
        )
