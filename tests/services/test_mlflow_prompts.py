"""Prompt versions that a sync brings: once, replaced when changed, kept when gone from the registry."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from budget_model.errors import RemoteError, RemoteRefusalError
from budget_model.records.mlflow import PromptVersion
from budget_model.services.mlflow_report import SyncReport, SyncRequest
from budget_model.services.mlflow_sources import forget
from budget_model.services.mlflow_sync import sync_mlflow
from budget_model.settings import Settings
from budget_model.store.ledger import Ledger
from budget_model.store.mlflow_catalog import MlflowCatalog
from budget_model.store.prompt_catalog import PromptCatalog, StoredPrompt
from tests.services.homes import home
from tests.services.mlflow_fake import ADDRESS, FakeMlflow, some


@pytest.fixture
def at(tmp_path: Path) -> Settings:
    return home(tmp_path / "home")


@pytest.fixture
def server() -> FakeMlflow:
    found = FakeMlflow(page_size=2)
    put(found, *(prompt(number) for number in range(1, 6)))
    return found


def prompt(number: int, text: str | None = "Answer in one line.", **changes: object) -> PromptVersion:
    made = PromptVersion("chat", str(number), text, len(text or ""), False, 1_796_083_200_000 + number)
    return msgspec.structs.replace(made, **changes)


def put(server: FakeMlflow, *prompts: PromptVersion) -> None:
    server.prompts.update(((one.name, one.version), one) for one in prompts)


def sync(at: Settings, server: FakeMlflow, *, prompts: bool = True) -> SyncReport:
    return sync_mlflow(at, SyncRequest(ADDRESS, prompts=prompts), opened=server.open)


def counts(report: SyncReport) -> dict[str, int]:
    """What is not zero, once it is sure that the counts add up."""
    told = {name: count for name, count in report.extras.items() if name.startswith("prompts_")}
    found = {name.removeprefix("prompts_"): count for name, count in told.items() if count}
    parts = (found.get(name, 0) for name in ("accepted", "changed", "duplicates"))
    assert sum(parts) == found.get("read", 0)
    return found


def readings(at: Settings, version: str) -> list[StoredPrompt]:
    ledger = Ledger(at)
    try:
        return PromptCatalog(ledger).readings("chat", version)
    finally:
        ledger.close()


def test_syncing_again_changes_nothing(at: Settings, server: FakeMlflow) -> None:
    assert counts(sync(at, server)) == {"read": 5, "accepted": 5}
    before = readings(at, "3")
    assert counts(sync(at, server)) == {"read": 5, "duplicates": 5}
    assert readings(at, "3") == before
    [one] = before
    assert (one.source, one.text, one.created_ms) == (ADDRESS, "Answer in one line.", 1_796_083_200_003)


def test_a_changed_version_replaces_what_was_known(at: Settings, server: FakeMlflow) -> None:
    sync(at, server)
    put(server, prompt(3, "Answer at length."), prompt(6))
    assert counts(sync(at, server)) == {"read": 6, "accepted": 1, "changed": 1, "duplicates": 4}
    assert [one.text for one in readings(at, "3")] == ["Answer at length."]


def test_a_version_that_is_gone_from_the_registry_is_kept(at: Settings, server: FakeMlflow) -> None:
    sync(at, server)
    server.prompts.clear()
    assert counts(sync(at, server)) == {}
    assert len(readings(at, "3")) == 1


def test_a_version_that_comes_on_two_pages_counts_once_as_new(at: Settings, server: FakeMlflow) -> None:
    server.prompts["moved", "while read"] = prompt(1)
    assert counts(sync(at, server)) == {"read": 6, "accepted": 5, "duplicates": 1}


def test_a_text_that_is_too_long_is_missing_and_its_version_there(at: Settings, server: FakeMlflow) -> None:
    put(server, prompt(1, None, chars=123_456))
    assert counts(sync(at, server)) == {"read": 5, "accepted": 5, "without_text": 1}
    assert [(one.text, one.chars) for one in readings(at, "1")] == [(None, 123_456)]


def test_a_text_may_hold_what_a_database_does_not(at: Settings, server: FakeMlflow) -> None:
    put(server, prompt(1, "a\0b 🙂 '\";--"))
    sync(at, server)
    assert readings(at, "1")[0].text == "ab 🙂 '\";--"
    assert counts(sync(at, server)) == {"read": 5, "duplicates": 5}


@pytest.mark.parametrize("problem", [RemoteError, RemoteRefusalError])
@pytest.mark.parametrize("page", [0, 1])
def test_a_registry_that_cannot_be_read_is_a_sentence_and_not_a_failed_sync(
    at: Settings, server: FakeMlflow, problem: type[RemoteError], page: int
) -> None:
    def before(number: int) -> None:
        if number >= page:
            raise problem(f"{ADDRESS}: answers 404")

    server.before_prompts = before
    server.put(*some(range(3)))
    report = sync(at, server)
    assert (report.error, report.traces.new, report.lag_ms is None) == ("", 3, False)
    assert report.note == f"texts of prompts could not be read: {ADDRESS}: answers 404"
    assert counts(report).get("accepted", 0) == 2 * page
    ledger = Ledger(at)
    assert [one.note for one in MlflowCatalog(ledger).sources()] == [report.note]
    ledger.close()
    server.before_prompts = lambda number: None
    again = sync(at, server)
    assert (again.note, counts(again)["accepted"]) == ("", 5 - 2 * page)


def test_a_source_without_traces_is_removed_with_its_prompts(at: Settings, server: FakeMlflow) -> None:
    report = sync(at, server)
    assert len(readings(at, "1")) == 1
    ledger = Ledger(at)
    forget(ledger, report.source_id)
    ledger.close()
    assert readings(at, "1") == []


def test_prompts_can_be_left_out(at: Settings, server: FakeMlflow) -> None:
    assert counts(sync(at, server, prompts=False)) == {}
    assert readings(at, "1") == []
