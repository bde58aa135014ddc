from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from budget_model.services.mlflow_report import SyncReport, SyncRequest
from budget_model.services.mlflow_sync import sync_mlflow
from budget_model.settings import load_settings
from budget_model.views import connections
from tests.app.conftest import Open
from tests.app.homes import HOSTILE
from tests.app.test_bring_in import finished
from tests.app.test_pages import words
from tests.services.mlflow_fake import ADDRESS, FakeMlflow, refuse, some, waiting


@pytest.fixture
def server() -> FakeMlflow:
    return FakeMlflow()


def synced(home: Path, server: FakeMlflow, *experiments: str) -> SyncReport:
    settings = load_settings(home, {"TAILBUDGET_WORKERS": "1"})
    return sync_mlflow(settings, SyncRequest(ADDRESS, experiments), opened=server.open)


def test_without_a_connection_the_page_says_what_to_type(open_page: Open) -> None:
    at = open_page("data")
    assert not at.exception
    assert "Nothing is connected yet" in words(at)
    assert any("tailbudget sync mlflow http" in code.value for code in at.code)


def test_a_source_stands_in_the_table_with_what_waits_and_what_is_gone(
    open_page: Open, home: Path, server: FakeMlflow
) -> None:
    server.put(*some(range(12)), waiting(some(range(20, 21))[0]))
    synced(home, server)
    del server.traces[f"tr-{4:032x}"]
    synced(home, server)
    said = words(open_page("data"))
    assert "mlflow.example:5000" in said
    assert "up to date" in said
    assert "The oldest trace that waits".lower() in said.lower()
    assert _row(said) == ["11", "1", "1"]


def _row(said: str) -> list[str]:
    table = said[said.index("all experiments") :]
    return re.findall(r'<td class="r">([\d,]+)</td>', table)[:3]


def test_a_failure_is_shown_with_its_reason_as_text(open_page: Open, home: Path, server: FakeMlflow) -> None:
    server.put(*some(range(3)))
    server.before_page = refuse(0)
    synced(home, server)
    at = open_page("data")
    assert not at.exception
    assert "failed" in words(at)
    assert "answered 500" in words(at)


def test_a_job_syncs_and_tells_what_came(
    open_page: Open, home: Path, server: FakeMlflow, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.put(*some(range(5)))
    monkeypatch.setattr(connections, "sync_mlflow", _with(server))
    connections.start(SyncRequest(ADDRESS))
    assert isinstance(finished().answer, SyncReport)
    at = open_page("data")
    assert not at.exception
    assert "5 traces new" in words(at)


def test_an_address_with_a_password_is_refused_without_repeating_it(open_page: Open) -> None:
    at = open_page("data")
    at.text_input(key="connect-uri").set_value("http://ann:s3cret@mlflow.example")
    submit(at)
    (message,) = [error.value for error in at.error]
    assert "s3cret" not in message
    assert "leave the credentials out" in message


@pytest.mark.parametrize("uri", ["", "mlflow", "ftp://x", "http://", "http://[x", "sqlite://"])
def test_an_address_that_cannot_be_one_is_a_sentence(open_page: Open, uri: str) -> None:
    at = open_page("data")
    at.text_input(key="connect-uri").set_value(uri)
    submit(at)
    assert not at.exception
    assert len(at.error) == 1
    assert "is accepted" in at.error[0].value.replace("\\", "")


@pytest.mark.parametrize("label", HOSTILE)
def test_names_of_experiments_are_text(open_page: Open, home: Path, server: FakeMlflow, label: str) -> None:
    synced(home, server, label)
    at = open_page("data")
    assert not at.exception
    assert "<script>" not in words(at)


def test_the_page_of_a_deleted_trace_says_that_it_is(open_page: Open, home: Path, server: FakeMlflow) -> None:
    traces = some(range(3))
    server.put(*traces)
    synced(home, server)
    del server.traces[traces[1].trace_id]
    synced(home, server)
    pages = [open_page("traces", request=one.trace_id.removeprefix("tr-")) for one in traces]
    assert not any(page.exception for page in pages)
    assert ["Deleted in MLflow" in words(page) for page in pages] == [False, True, False]


def submit(at: AppTest) -> None:
    (button,) = [one for one in at.button if one.label == "Connect and sync"]
    button.click().run()


def _with(server: FakeMlflow) -> Callable[..., Any]:
    return lambda *given, **named: sync_mlflow(*given, **named, opened=server.open)
