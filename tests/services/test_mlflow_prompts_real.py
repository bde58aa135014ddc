"""Prompts of a real MLflow server, over HTTP and from its database: the same segments and the same texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from budget_model.records.mlflow import MlflowStore, PromptVersion
from budget_model.services.mlflow_report import SyncRequest
from budget_model.services.mlflow_sync import sync_mlflow
from budget_model.settings import Settings
from budget_model.sources.mlflow.connect import open_store
from tests.mlflow_server import MlflowServer
from tests.services.homes import home, requests_of, traces
from tests.services.mlflow_posting import experiment, post
from tests.services.mlflow_prompting import delete_version, link, model, prompt, tag

pytestmark = pytest.mark.mlflow

FIRST = 800_000
"""Ids of traces are unique in a server; those of other tests begin elsewhere."""

CHAT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "{{question}}"}]


def prompts_of(store: MlflowStore, *names: str) -> list[PromptVersion]:
    found = [one for page in store.prompts() for one in page if one.name in names]
    return sorted(found, key=lambda one: (one.name, one.version))


def labels(at: Settings) -> dict[str, tuple[str | None, str | None]]:
    """Prompt name and version by trace."""
    rows = requests_of(at).select(["trace_id", "prompt_name", "prompt_version"]).to_pylist()
    return {row["trace_id"]: (row["prompt_name"], row["prompt_version"]) for row in rows}


def test_both_ways_give_the_same_prompts_and_no_model_and_none_deleted(mlflow_server: MlflowServer) -> None:
    url = mlflow_server.url
    name, other = prompt(url, "Hello\nyou", CHAT, "gone", "x" * 100_000), prompt(url, "Привет 🙂")
    delete_version(url, name, "3")
    by_api, direct = open_store(url), open_store(mlflow_server.database_url)
    try:
        found = prompts_of(by_api, name, other, model(url))
        assert prompts_of(direct, name, other, model(url)) == found
    finally:
        by_api.close()
        direct.close()
    assert {(one.name, one.version): (one.text, one.is_chat) for one in found} == {
        (name, "1"): ("Hello\nyou", False),
        (name, "2"): (json.dumps(CHAT), True),
        (name, "4"): ("x" * 100_000, False),
        (other, "1"): ("Привет 🙂", False),
    }
    assert all(one.created_ms is not None and one.created_ms > 1_700_000_000_000 for one in found)


def test_prompts_come_in_pages(mlflow_server: MlflowServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("prompts_api", "prompts_database"):
        monkeypatch.setattr(f"budget_model.sources.mlflow.{module}.PROMPTS_AT_ONCE", 2)
    name = prompt(mlflow_server.url, *map(str, range(12)))
    for uri in (mlflow_server.url, mlflow_server.database_url):
        store = open_store(uri)
        pages = list(store.prompts())
        store.close()
        assert max(map(len, pages)) == 2
        mine = [one.version for page in pages for one in page if one.name == name]
        assert sorted(mine, key=int) == [str(number) for number in range(1, 13)]


def test_tag_and_table_give_the_same_segment_both_ways(tmp_path: Path, mlflow_server: MlflowServer) -> None:
    url, chat = mlflow_server.url, experiment(mlflow_server.url)
    a, b = sorted(prompt(url, "one", "two") for _ in range(2))
    post(url, chat, traces(range(FIRST, FIRST + 6)), tmp_path / "otlp")
    ids = [f"tr-{number + 1:032x}" for number in range(FIRST, FIRST + 6)]
    tag(url, ids[0], (a, "2"))
    link(url, ids[1], (a, "2"))
    tag(url, ids[2], (b, "1"), (a, "1"))  # the first named counts
    link(url, ids[3], (b, "1"), (a, "1"))  # the table knows no first one: the order is that of the names
    tag(url, ids[4], (b, "2"))
    link(url, ids[4], (a, "1"))  # the tag counts
    homes = {direct: home(tmp_path / str(direct), workers=1) for direct in (False, True)}
    requests = {way: SyncRequest(url, (chat,), mlflow_server.database_url if way else "") for way in homes}
    for way, at in homes.items():
        report = sync_mlflow(at, requests[way])
        assert (report.error, report.note, report.traces.new) == ("", "", 6)
        assert report.extras["prompts_accepted"] == report.extras["prompts_read"] >= 4
    wanted = [(a, "2"), (a, "2"), (b, "1"), (a, "1"), (b, "2"), (None, None)]
    found = dict(zip((one.removeprefix("tr-") for one in ids), wanted, strict=True))
    assert labels(homes[False]) == labels(homes[True]) == found

    link(url, ids[5], (b, "2"))  # later than its trace
    for way, at in homes.items():
        report = sync_mlflow(at, requests[way])
        assert (report.traces.updated, report.traces.unchanged) == (1, 5)
        assert report.extras["prompts_duplicates"] == report.extras["prompts_read"]
        assert labels(at)[ids[5].removeprefix("tr-")] == (b, "2")


def test_of_a_trace_whose_prompt_the_table_knows_the_spans_come_whole(
    tmp_path: Path, mlflow_server: MlflowServer
) -> None:
    url, chat = mlflow_server.url, experiment(mlflow_server.url)
    number = FIRST + 100
    post(url, chat, traces(range(number, number + 1)), tmp_path / "otlp")
    store = open_store(url)
    try:
        [heads] = store.heads([chat], 0)
        [before] = store.documents(heads)
        link(url, heads[0].trace_id, (prompt(url, "one"), "1"))
    finally:
        store.close()
    store = open_store(url)
    try:
        [heads] = store.heads([chat], 0)
        [after] = store.documents(heads)
        assert json.loads(after.line)["spans"] == json.loads(before.line)["spans"] != []
        assert store.heads_of([heads[0].trace_id]) == heads
    finally:
        store.close()
