"""The command that publishes to MLflow: what it prints, and each understood no in one sentence."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Lattices
from tests.commands.homes import answer, exit_code, run
from tests.mlflow_server import MlflowServer
from tests.services.mlflow_reading import runs, values
from tests.sources.mlflow.faulty import Request, behaving

WEEK = "2026-W47"
"""The week in which the lattice's requests lie."""


@pytest.fixture(scope="module")
def home(lattice_home: Lattices, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the approved budget ``chat`` and the draft ``plan``."""
    copied = Path(shutil.copytree(lattice_home("load"), tmp_path_factory.mktemp("publish") / "home"))
    answer(copied, "allocate", "--target", "5s", "--save", "chat")
    answer(copied, "allocate", "--target", "6s", "--save", "plan")
    answer(copied, "budgets", "propose", "chat", "--version", "1", "--as", "ann")
    answer(copied, "budgets", "approve", "chat", "--version", "1", "--as", "bob")
    return copied


@pytest.mark.mlflow
def test_the_command_says_what_it_made_and_what_was_there(home: Path, mlflow_server: MlflowServer) -> None:
    options = ("chat", "--to", mlflow_server.url, "--experiment", f"command-{uuid.uuid4().hex}")
    first = answer(home, "publish", "mlflow", *options)
    assert [(one["kind"], one["created"]) for one in first["runs"]] == [("budget", True), ("check", True)]
    said = run(home, "publish", "mlflow", *options, "--assess", "5").stdout
    assert "chat v1, already there" in said
    assert all(one["url"] in said for one in first["runs"])
    assert "no request over the target was synced from this server" in said
    assert len(runs(mlflow_server.url, first["experiment"])) == 2


@pytest.mark.mlflow
def test_an_exported_budget_and_a_load_test_are_published_where_there_is_no_store(
    home: Path, tmp_path: Path, mlflow_server: MlflowServer
) -> None:
    exported = tmp_path / "chat.json"
    exported.write_text(run(home, "budgets", "export", "chat", "--format", "json").stdout)
    log = tmp_path / "log.csv"
    log.write_text("request_id,decode_ms\n" + "".join(f"r{i},900\n" for i in range(400)))
    options = ("--to", mlflow_server.url, "--experiment", f"command-{uuid.uuid4().hex}", "--file", str(log))
    found = answer(tmp_path / "empty", "publish", "mlflow", str(exported), *options)
    assert [one["name"] for one in found["runs"]] == ["budget chat v1", "load-test chat v1: PASS"]


@pytest.mark.mlflow
def test_a_review_of_a_week_is_published_of_all_budgets_or_of_one(
    home: Path, mlflow_server: MlflowServer
) -> None:
    options = ("--review", WEEK, "--to", mlflow_server.url, "--experiment", f"command-{uuid.uuid4().hex}")
    first = answer(home, "publish", "mlflow", *options)
    assert [(one["kind"], one["created"]) for one in first["runs"]] == [("review", True)]
    said = run(home, "publish", "mlflow", "chat", *options).stdout
    assert f"review {WEEK}: chat v1, already there" in said
    (there,) = runs(mlflow_server.url, first["experiment"])
    assert values(there, "tags")["tailbudget.week"] == WEEK


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--to", "http://127.0.0.1:9"), "give a budget's NAME, or --review WEEK"),
        (("--review", "soon", "--to", "http://127.0.0.1:9"), "is no week"),
        (("--review", "2098-W01", "--to", "http://127.0.0.1:9"), "is not over"),
        (("--review", "2020-W01", "--to", "http://127.0.0.1:9"), "nothing to publish"),
        (("--review", WEEK, "--to", "http://127.0.0.1:9", "--assess", "3"), "do not go with --review"),
        (("--review", WEEK, "--to", "http://127.0.0.1:9", "--since", "7d"), "do not go with --review"),
        (("plan", "--review", WEEK, "--to", "http://127.0.0.1:9"), "only an approved one"),
        (("--review", WEEK, "--to", "http://127.0.0.1:9"), "refuses connections"),
        (("nobody", "--to", "http://127.0.0.1:9"), "there is no budget 'nobody'"),
        (("plan", "--to", "http://127.0.0.1:9"), "is draft: only an approved one is published"),
        (("chat", "--version", "7", "--to", "http://127.0.0.1:9"), "has no version 7"),
        (("chat", "--to", "http://127.0.0.1:9"), "refuses connections"),
        (("chat", "--to", "sqlite:///mlflow.db"), "through a tracking server"),
        (("chat", "--to", "mlflow"), "is accepted"),
        (("chat", "--to", "http://127.0.0.1:9", "--experiment", "it's"), "is accepted"),
        (("chat", "--to", "http://127.0.0.1:9", "--assess", "-1"), "are accepted"),
        (("chat", "--to", "http://127.0.0.1:9", "--file", "a.csv", "--assess", "5"), "no trace is marked"),
        (("chat", "--to", "http://127.0.0.1:9", "--file", "missing.csv"), "missing.csv"),
        (("chat", "--to", "http://127.0.0.1:9", "--since", "soon"), "soon"),
    ],
)
def test_what_cannot_be_published_is_said_in_one_line(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: Sequence[str],
    words: str,
) -> None:
    assert exit_code(monkeypatch, home, "publish", "mlflow", *options) == 2
    assert words in last_line(capsys)


def last_line(capsys: pytest.CaptureFixture[str]) -> str:
    progress = ("Holding", "Publishing", "Reviewing")
    told = [line for line in capsys.readouterr().err.splitlines() if not line.startswith(progress)]
    assert len(told) == 1, told
    return told[0]


def answering(content: Any, status: int) -> Callable[[Request], None]:
    return lambda request: request.answer(content, status)


@pytest.mark.parametrize(
    ("status", "content", "words"),
    [
        (500, {"error_code": "INTERNAL_ERROR"}, "answers 500"),
        (401, {}, "MLFLOW_TRACKING_TOKEN"),
        (403, {}, "MLFLOW_TRACKING_TOKEN"),
        (200, b"<html>", "where MLflow's API answers JSON"),
        (200, {"experiments": 7}, "an answer cannot be used"),
    ],
)
def test_a_server_that_refuses_is_one_sentence_without_the_password(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    status: int,
    content: Any,
    words: str,
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_USERNAME", "ann")
    monkeypatch.setenv("MLFLOW_TRACKING_PASSWORD", "s3cret")
    with behaving(answering(content, status)) as url:
        assert exit_code(monkeypatch, home, "publish", "mlflow", "chat", "--to", url) == 2
    said = last_line(capsys)
    assert words in said
    assert "s3cret" not in said


@pytest.mark.parametrize(
    ("login", "host", "sent"),
    [
        ({"TOKEN": "t0ken"}, "", "Bearer t0ken"),
        ({"USERNAME": "ann", "PASSWORD": "s3cret"}, "", "Basic YW5uOnMzY3JldA=="),
        ({"TOKEN": "t0ken"}, "bob:pw@", "Basic Ym9iOnB3"),
    ],
)
def test_the_login_of_the_settings_is_used_unless_the_address_brings_one(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    login: dict[str, str],
    host: str,
    sent: str,
) -> None:
    for name, value in login.items():
        monkeypatch.setenv(f"MLFLOW_TRACKING_{name}", value)
    seen: list[str | None] = []

    def listening(request: Request) -> None:
        seen.append(request.headers["authorization"])
        request.answer({"error_code": "PERMISSION_DENIED"}, 403)

    with behaving(listening) as url:
        url = url.replace("http://", f"http://{host}")
        assert exit_code(monkeypatch, home, "publish", "mlflow", "chat", "--to", url) == 2
    assert seen == [sent]
    said = "".join(capsys.readouterr())
    assert not [secret for secret in ("t0ken", "s3cret", "bob:pw") if secret in said]


def test_json_errors_leave_stdout_empty(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("chat", "--to", "http://127.0.0.1:9", "--json")
    assert exit_code(monkeypatch, home, "publish", "mlflow", *options) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.mlflow
def test_the_json_of_the_command_is_one_object(home: Path, mlflow_server: MlflowServer) -> None:
    done = run(home, "publish", "mlflow", "chat", "--to", mlflow_server.url, "--json")
    assert set(json.loads(done.stdout)) == {"address", "experiment", "runs", "assessed", "note", "stopped"}
