"""Prompts over HTTP: what the registry is asked, how often, and answers that make no sense."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest

from budget_model.errors import RemoteError
from budget_model.records.mlflow import PromptVersion, TraceHead
from budget_model.sources.mlflow import links_api
from budget_model.sources.mlflow.connect import open_store
from budget_model.sources.mlflow.limits import Limits
from budget_model.sources.mlflow.linked_prompts import tag_of
from budget_model.sources.mlflow.stores import ApiStore
from tests.sources.mlflow.faulty import Request, behaving

QUICK = Limits(connect_s=1, silence_s=2, answer_s=3, attempts=2, pause_s=0.01, max_bytes=300_000)
TAG = "mlflow.linkedPrompts"


def version(number: int, name: str = "chat", **tags: str) -> dict[str, Any]:
    told = {"mlflow.prompt.text": f"text {number}", **tags}
    listed = [{"key": key, "value": value} for key, value in told.items()]
    return {"name": name, "version": str(number), "creation_timestamp": "1796083200000", "tags": listed}


def info(number: int, **tags: str) -> dict[str, Any]:
    location = {"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": "1"}}
    return {
        "trace_id": f"tr-{number}",
        "trace_location": location,
        "request_time": f"2026-12-01T00:00:0{number}Z",
        "state": "OK",
        "tags": tags,
    }


class Server:
    """Traces, versions of prompts and links between them; counts what it is asked."""

    def __init__(self, *traces: dict[str, Any], versions: Any = ()) -> None:
        self.traces = {one["trace_id"]: one for one in traces}
        self.versions: Any = list(versions)
        self.links: dict[str, list[str]] = {}
        self.asked: list[str] = []
        self.status = 200

    def behave(self, request: Request) -> None:
        if "/model-versions/search" in request.path:
            self.asked.append("registry")
            request.answer({"model_versions": self.versions}, status=self.status)
        elif "/traces/batchGetInfos" in request.path:
            ids = request.body["trace_ids"]
            request.answer({"trace_infos": [self.traces[one] for one in ids if one in self.traces]})
        elif "/traces/batchGet" in request.path:
            traces = [{"trace_info": one, "spans": [{"name": "a"}]} for one in self.traces.values()]
            request.answer({"traces": traces})
        elif " AND prompt = '" in request.body["filter"]:
            self.asked.append(request.body["filter"].split(" AND prompt = ")[1])
            found = self.links.get(self.asked[-1].strip("'"), [])
            request.answer({"traces": [self.traces[one] for one in found]})
        else:
            request.answer({"traces": list(self.traces.values())})


@contextmanager
def opened(behave: Callable[[Request], None]) -> Iterator[ApiStore]:
    with behaving(behave) as url:
        store = open_store(url, limits=QUICK)
        assert isinstance(store, ApiStore)
        try:
            yield store
        finally:
            store.close()


def heads(store: ApiStore, since_ms: int = 0) -> list[TraceHead]:
    return [head for page in store.heads(["1"], since_ms) for head in page]


def told(found: list[TraceHead]) -> list[Any]:
    """The prompts each head's tag names, None without the tag."""
    tags = [msgspec.json.decode(head.info)["tags"].get(TAG) for head in found]
    return [tag and [f"{one['name']}/{one['version']}" for one in msgspec.json.decode(tag)] for tag in tags]


def answered(content: Any) -> list[PromptVersion]:
    with opened(lambda request: request.answer(content)) as store:
        return [one for page in store.prompts() for one in page]


def test_a_text_longer_than_mlflow_takes_is_not_kept_and_its_length_is() -> None:
    just, over = version(1), version(2)
    just["tags"][0]["value"], over["tags"][0]["value"] = "x" * 100_000, "x" * 100_001
    found = answered({"model_versions": [just, over]})
    assert [(one.text is None, one.chars) for one in found] == [(False, 100_000), (True, 100_001)]


def test_what_the_registry_does_not_say_is_missing() -> None:
    [found] = answered({"model_versions": [{"name": "n", "version": "1"}]})
    assert (found.text, found.is_chat, found.created_ms) == ("", False, None)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"model_versions": [version(1)], "next_page_token": "again"}, "names the same next page twice"),
        ({"model_versions": [{"version": "1"}]}, "an answer cannot be used"),
        ({"model_versions": [version(1) | {"creation_timestamp": "soon"}]}, "a prompt cannot be used"),
        ({"model_versions": [version(1, more="x" * 400_000)]}, "an answer of more than 300,000 bytes"),
        (b"<html>", "where MLflow's API answers JSON"),
    ],
)
def test_an_answer_that_cannot_be_used_is_one_sentence(content: Any, said: str) -> None:
    with pytest.raises(RemoteError, match=said) as refusal:
        answered(content)
    assert "\n" not in str(refusal.value)


def test_nothing_is_asked_of_links_while_every_trace_names_its_prompts() -> None:
    server = Server(info(1, **{TAG: '[{"name": "chat", "version": "1"}]'}), versions=[version(1)])
    with opened(server.behave) as store:
        assert told(heads(store)) == [["chat/1"]]
    assert server.asked == []


def test_links_are_asked_for_once_a_version_and_fill_only_what_no_tag_says() -> None:
    tagged = info(1, **{TAG: '[{"name": "other", "version": "9"}]'})
    server = Server(tagged, info(2), info(3), versions=[version(10), version(2), version(1)])
    server.links = {"chat/10": ["tr-1", "tr-2"], "chat/2": ["tr-2"]}
    with opened(server.behave) as store:
        found = heads(store)
        assert told(found) == [["other/9"], ["chat/2", "chat/10"], None]
        assert store.heads_of(["tr-1", "tr-2", "tr-3"]) == found
        lines = [msgspec.json.decode(one.line) for one in store.documents(found)]
    assert server.asked == ["registry", "'chat/10'", "'chat/2'", "'chat/1'"]
    assert [TAG in line["trace_info"]["tags"] for line in lines] == [True, True, False]
    assert [line["spans"] for line in lines] == [[{"name": "a"}]] * 3


def test_a_name_that_cannot_stand_in_a_question_is_asked_for_no_links() -> None:
    server = Server(info(1), versions=[version(1, "it's"), version(1, "a/b"), version(1, "fine.1_-")])
    with opened(server.behave) as store:
        heads(store)
    assert server.asked == ["registry", "'fine.1_-/1'"]


def test_a_server_without_a_registry_is_read_with_a_word_and_asked_no_more() -> None:
    server = Server(info(1), info(2))
    server.status = 404
    with opened(server.behave) as store:
        assert told(heads(store)) == [None, None]
        assert len(store.heads_of(["tr-1"])) == 1
        assert store.origin.note.startswith("prompts of traces are known by tag alone, because http")
    assert server.asked == ["registry"]


def test_of_many_versions_the_newest_are_asked_for_and_the_sync_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(links_api, "MOST_VERSIONS", 2)
    limits = []

    def behave(request: Request) -> None:
        if "/model-versions/search" in request.path:
            limits.append("max_results=2" in request.path)
            request.answer({"model_versions": [version(9), version(8)], "next_page_token": "more"})
        else:
            request.answer({"traces": [info(1)] if "prompt" not in request.body["filter"] else []})

    with opened(behave) as store:
        heads(store)
        assert "more than 2 prompt versions" in store.origin.note
    assert limits == [True]


def test_linked_prompts_are_told_once_each_in_the_order_of_name_and_number() -> None:
    links = [("b", "1"), ("a", "10"), ("a", "9"), ("b", "1")]
    assert msgspec.json.decode(tag_of(links)) == [
        {"name": "a", "version": "9"},
        {"name": "a", "version": "10"},
        {"name": "b", "version": "1"},
    ]
