from __future__ import annotations

import json
from pathlib import Path

import pytest

from budget_model.commands import runs
from budget_model.services.run_history import MOST_POINTS, RunHistory
from tests.commands.homes import answer, exit_code, run
from tests.imported import DATA

TABLE = DATA / "mlflow_runs" / "search_runs.csv"


def test_without_runs_the_command_says_how_to_bring_some(tmp_path: Path) -> None:
    done = run(tmp_path, "runs")
    assert done.exit_code == 0
    assert "tailbudget sync mlflow URI" in done.stdout
    assert "tailbudget runs import FILE" in done.stdout
    assert answer(tmp_path, "runs")["points"] == []


def test_points_are_listed_with_what_is_missing_of_them(tmp_path: Path) -> None:
    [file] = answer(tmp_path, "runs", "import", str(TABLE))["files"]
    assert (file["runs_read"], file["runs_accepted"], file["rejects"]) == (3, 3, [])
    found = answer(tmp_path, "runs")
    assert found["runs"] == 3
    assert found["missing"] | {"hardware": 3, "token_budget": 3, "ttft_p99_ms": 0} == found["missing"]
    assert [(one["name"], one["settings"]["concurrency"]) for one in found["points"]] == [
        ("chat-c24", 24),
        ("chat-c8", 8),
        ("chat-c2", 2),
    ]
    told = run(tmp_path, "runs").stdout
    assert "chat-c2: model mock-model, concurrency 2, ttft_p50_ms 55.6735, ttft_p99_ms 103.505" in told
    assert "hardware in 3, token_budget in 3" in told


def test_a_file_that_cannot_be_read_is_named_and_the_others_come_in(tmp_path: Path) -> None:
    odd = tmp_path / "odd.json"
    odd.write_text("{}")
    done = run(tmp_path / "home", "runs", "import", str(odd), str(TABLE), "--json")
    assert done.exit_code == 2
    told = json.loads(done.stdout)
    assert told["files"][0]["runs_accepted"] == 3
    assert "odd.json: holds no MLflow runs" in told["failures"][0]["error"]


def test_refused_runs_are_told_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("run_id,tags.mlflow.runName,metrics.loss\nabc,training [red]x,0.5\n")
    assert (
        "no metric of the run has a name that is known" in run(tmp_path, "runs", "import", str(path)).stdout
    )
    assert "rejected training [red]x: no metric" in run(tmp_path, "runs").stdout


def test_import_says_which_command_reads_runs(tmp_path: Path) -> None:
    done = run(tmp_path, "import", str(TABLE), "--json")
    assert done.exit_code == 2
    [failure] = json.loads(done.stdout)["failures"]
    assert "an MLflow run table, which `tailbudget runs import` reads" in failure["error"]


def test_import_says_so_of_an_answer_of_the_server_too(tmp_path: Path) -> None:
    done = run(tmp_path, "import", str(TABLE.with_name("runs_search_rest.json.gz")), "--json")
    [failure] = json.loads(done.stdout)["failures"]
    assert "an MLflow run list, which `tailbudget runs import` reads" in failure["error"]


def test_the_history_of_a_run_that_is_not_at_a_source_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, "runs", "import", str(TABLE))
    for run_id, metric, points, said in (
        ("nowhere", "m", "5", "there is no run 'nowhere' here"),
        ("9369d729eed54167963f541f69627513", "m", "5", "came from a file, which holds the last values alone"),
        ("nowhere", "m", "0", "0 points: 1 to 25,000 are accepted"),
        ("nowhere", "", "5", "an empty name names no metric"),
        ("nowhere", " ", "5", "an empty name names no metric"),
    ):
        assert exit_code(monkeypatch, tmp_path, "runs", "history", run_id, metric, "--points", points) == 2
        assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ("2", "2 points; the run has more, raise --points to read on"),
        (str(MOST_POINTS), "2 points; the run has more, of which no more than 25,000 can be read at once"),
    ],
)
def test_a_cut_history_advises_only_what_can_be_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, points: str, said: str
) -> None:
    cut = RunHistory("r1", "m", ((0, 1.0), (1, 2.0)), is_cut=True)
    monkeypatch.setattr(runs, "run_history", lambda *_: cut)
    assert run(tmp_path, "runs", "history", "r1", "m", "--points", points).stderr.strip() == said
