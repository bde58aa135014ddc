"""Prompts linked to traces whose tags do not say so, over the API.

A server answers which traces are linked to a version, and not which versions a trace is linked to.
So nothing is asked while every trace has the tag, and then once for each version and stretch of time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from budget_model.errors import RemoteRefusalError
from budget_model.records.mlflow import TraceHead
from budget_model.sources.mlflow.http import MlflowApi
from budget_model.sources.mlflow.linked_prompts import TAG, Link, tag_of
from budget_model.sources.mlflow.pages import Page, decoded, pages
from budget_model.sources.mlflow.prompts_api import OnRegistry, ask_registry

MOST_VERSIONS = 200
"""Versions whose traces are asked for at all, the newest: each costs a question in every sync."""

HEADS_AT_ONCE = 500

_SEARCH = "/api/3.0/mlflow/traces/search"
_NAME = re.compile(r"[A-Za-z0-9_.-]+", re.ASCII)
_object = msgspec.json.Decoder(dict[str, Any]).decode


class _Tagged(msgspec.Struct):
    tags: Any = None


class _Found(msgspec.Struct):
    trace_id: str
    tags: Any = None


class _Traces(Page):
    traces: list[_Found] = msgspec.field(default_factory=list)


class LinkedPrompts:
    """The links of one connection; ``added`` are the traces to which the tag was given here.

    ``note`` says in one sentence what could not be asked, "" when nothing was left out.
    """

    def __init__(self, api: MlflowApi) -> None:
        self._api = api
        self._versions: list[Link] | None = None
        self._asked: tuple[frozenset[str], int] = (frozenset(), 0)
        self._links: dict[str, tuple[Link, ...]] = {}
        self.added: set[str] = set()
        self.note = ""

    def told(self, heads: list[TraceHead], experiment_ids: Sequence[str], since_ms: int) -> list[TraceHead]:
        """The heads, with the tag where a link is known and no tag names any.

        ``since_ms`` is where the stretch of time begins that these and later heads lie in.
        """
        if all(self._is_tagged(head) for head in heads):
            return heads
        links = self._known(frozenset(experiment_ids), since_ms)
        return [self._with_tag(head, links) for head in heads]

    def _with_tag(self, head: TraceHead, links: dict[str, tuple[Link, ...]]) -> TraceHead:
        if head.trace_id not in links or self._is_tagged(head):
            return head
        self.added.add(head.trace_id)
        info = _object(head.info)
        info["tags"] = {**(info.get("tags") or {}), TAG: tag_of(links[head.trace_id])}
        return msgspec.structs.replace(head, info=msgspec.json.encode(info))

    def _is_tagged(self, head: TraceHead) -> bool:
        return _says(decoded(head.info, _Tagged, self._api.base_url).tags)

    def _known(self, experiment_ids: frozenset[str], since_ms: int) -> dict[str, tuple[Link, ...]]:
        """Links of the traces since then, read again only for another stretch of time."""
        ids, from_ms = self._asked
        if not (experiment_ids <= ids and since_ms >= from_ms):
            try:
                self._links = self._read(sorted(experiment_ids), since_ms)
            except RemoteRefusalError as problem:
                self._versions, self._links = [], {}
                self.note = f"prompts of traces are known by tag alone, because {problem}"
            self._asked = experiment_ids, since_ms
        return self._links

    def _read(self, experiment_ids: list[str], since_ms: int) -> dict[str, tuple[Link, ...]]:
        if self._versions is None:
            self._versions = self._newest()
        found: dict[str, tuple[Link, ...]] = {}
        kept: dict[tuple[Link, ...], tuple[Link, ...]] = {}  # of a million traces most have the same few
        for link in self._versions:
            for page in pages(self._searching(experiment_ids, since_ms, link), self._api.base_url):
                for trace in page.traces:
                    if not _says(trace.tags):
                        links = (*found.get(trace.trace_id, ()), link)
                        found[trace.trace_id] = kept.setdefault(links, links)
        return found

    def _searching(self, experiment_ids: list[str], since_ms: int, link: Link) -> Callable[[str], _Traces]:
        locations = [
            {"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": one}}
            for one in experiment_ids
        ]
        body = {
            "locations": locations,
            "filter": f"timestamp_ms >= {since_ms:d} AND prompt = '{link[0]}/{link[1]}'",
            "order_by": ["timestamp_ms ASC"],
            "max_results": HEADS_AT_ONCE,
        }

        def ask(token: str) -> _Traces:
            content = self._api.post(_SEARCH, {**body, "page_token": token})
            return decoded(content, _Traces, self._api.base_url)

        return ask

    def _newest(self) -> list[Link]:
        """The newest versions of all prompts whose names can be asked for."""
        page = ask_registry(self._api, "", MOST_VERSIONS)
        if page.next_page_token:
            self.note = (
                f"the registry has more than {MOST_VERSIONS} prompt versions, "
                "and links to the older ones are known by tag alone"
            )
        return [_link(one) for one in page.model_versions if _NAME.fullmatch(one.name)]


def _says(tags: Any) -> bool:
    """Whether the tags name prompts, or are in a shape to which none can be added."""
    return TAG in tags if isinstance(tags, dict) else tags is not None


def _link(one: OnRegistry) -> Link:
    return one.name, one.version
