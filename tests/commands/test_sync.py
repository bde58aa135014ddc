from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from budget_model.cli import app
from budget_model.commands import sync
from budget_model.records.mlflow import PromptVersion
from budget_model.services.mlflow_sync import sync_mlflow
from tests.services.mlflow_fake import ADDRESS, FakeMlflow, refuse, some, waiting


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> FakeMlflow:
    fake = FakeMlflow()
    monkeypatch.setattr(sync, "sync_mlflow", partial(sync_mlflow, opened=fake.open))
    monkeypatch.setattr(sync, "leave_pandas_out", lambda: None)
    return fake


def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    done = CliRunner().invoke(app, ["sync", "mlflow", *arguments, "--home", str(folder)])
    return done.exit_code, done.stdout, done.stderr


def test_a_sync_tells_what_came_and_how_far_behind_it_is(tmp_path: Path, server: FakeMlflow) -> None:
    server.put(*some(range(3)), waiting(some(range(9, 10))[0]))
    code, said, aside = run(tmp_path, ADDRESS)
    assert code == 0
    assert "3 traces new, 0 updated, 1 waiting, 0 deleted, 0 unchanged" in said
    assert "12 read = 12 accepted + 0 rejected + 0 duplicates + 0 already known" in said
    assert "lag 0." in said
    assert "newest trace 2025-12-01T00:00:09Z" in said
    assert aside.startswith("batch 1 up to 2025-12-01T00:00:09Z: 3 new")


def test_prompt_versions_are_counted_on_a_line_of_their_own(tmp_path: Path, server: FakeMlflow) -> None:
    server.prompts["chat", "1"] = PromptVersion("chat", "1", "Be brief.", 9, False, None)
    server.prompts["chat", "2"] = PromptVersion("chat", "2", None, 123_456, False, None)
    _, said, _ = run(tmp_path, ADDRESS)
    counted = "prompt versions: 2 read = 2 accepted + 0 changed + 0 duplicates"
    assert f"{counted}; 1 without their text, which is too long" in said
    assert "prompt" not in run(tmp_path, ADDRESS, "--no-prompts")[1]
    _, said, _ = run(tmp_path, ADDRESS, "--json")
    answer = json.loads(said)
    assert (answer["prompts_read"], answer["prompts_duplicates"], answer["note"]) == (2, 2, "")


def test_json_holds_the_same_numbers(tmp_path: Path, server: FakeMlflow) -> None:
    server.put(*some(range(3)))
    code, said, _ = run(tmp_path, ADDRESS, "--json")
    answer = json.loads(said)
    assert code == 0
    assert answer["traces"] == {"new": 3, "updated": 0, "waiting": 0, "deleted": 0, "unchanged": 0}
    spans = answer["spans"]
    parts = ("accepted", "rejected", "duplicates", "already_known")
    assert spans["records"] == 12 == sum(spans[part] for part in parts)
    assert (answer["error"], answer["stopped"], answer["batches"]) == ("", False, 1)


def test_a_failing_server_is_one_sentence_and_exit_2(tmp_path: Path, server: FakeMlflow) -> None:
    server.put(*some(range(3)))
    server.before_page = refuse(0)
    code, said, aside = run(tmp_path, ADDRESS)
    assert code == 2
    assert aside.splitlines() == [f"{ADDRESS} answered 500 to a search for traces"]
    assert "lag unknown: no sync was complete yet" in said


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        (["ftp://x"], "is accepted"),
        ([ADDRESS, "--every", "10ms"], "1s or more"),
        ([ADDRESS, "--every", "soon"], "not a duration"),
        ([ADDRESS, "--overlap", "1"], "not a duration"),
        ([ADDRESS, "--since", "yesterday"], "no time"),
    ],
)
def test_what_cannot_be_used_is_refused(
    tmp_path: Path, server: FakeMlflow, arguments: list[str], refusal: str
) -> None:
    done = CliRunner().invoke(app, ["sync", "mlflow", *arguments, "--home", str(tmp_path)])
    assert refusal in str(done.exception)


def test_one_may_reach_back_and_look_only_at_some(tmp_path: Path, server: FakeMlflow) -> None:
    server.put(*some(range(3)), *some(range(5, 9), experiment_id="2"))
    run(tmp_path, ADDRESS, "--experiment", "chat", "--since", "2025-12-01T00:00:01Z")
    assert len(server.read) == 2
    run(tmp_path, ADDRESS, "--since", "2025-12-01", "--experiment", "chat", "--experiment", "2")
    assert len(set(server.read)) == 7
