from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from budget_model.services import clock
from tests.commands.homes import answer, exit_code, import_csv, run
from tests.services.homes import traces, write


def reasons(home: Path, name: str = "chat") -> list[str]:
    stale: list[str] = answer(home, "budgets", "show", name)["stale"]
    return stale


def move(home: Path, verb: str, who: str, *options: str, version: int = 1) -> Any:
    return answer(home, "budgets", verb, "chat", "--version", str(version), "--as", who, *options)


def test_a_budget_lives_from_draft_to_retirement(own_home: Path) -> None:
    answer(own_home, "allocate", "--target", "5s", "--save", "chat")
    assert move(own_home, "propose", "ann", "--why", "launch")["state"] == "proposed"
    assert move(own_home, "approve", "bob")["state"] == "approved"
    answer(own_home, "allocate", "--target", "6s", "--save", "chat")
    (listed,) = answer(own_home, "budgets", "list")["budgets"]
    assert (listed["version"], listed["state"], listed["target_ms"]) == (1, "approved", 5000)
    changes = answer(own_home, "budgets", "diff", "chat", "1", "2")["changes"]
    targets = [change for change in changes if change["field"].startswith("target")]
    assert [("5" in one["before"], "6" in one["after"]) for one in targets] == [(True, True)]
    move(own_home, "propose", "ann", version=2)
    move(own_home, "approve", "bob", version=2)
    first = answer(own_home, "budgets", "show", "chat", "--version", "1")
    assert first["state"] == "retired"
    assert [step["state"] for step in first["steps"]] == ["draft", "proposed", "approved", "retired"]
    assert (first["steps"][1]["who"], first["steps"][1]["why"]) == ("ann", "launch")
    assert move(own_home, "retire", "ann", version=2)["state"] == "retired"
    actions = [line["action"] for line in answer(own_home, "budgets", "audit")["audit"]]
    assert actions.count("approved") == 2
    assert actions[-1] == "save"


def test_what_is_saved_is_what_was_answered(own_home: Path) -> None:
    found = answer(own_home, "allocate", "--target", "5s", "--save", "chat")
    saved = answer(own_home, "budgets", "show", "chat")
    for key in ("target_ms", "percentile", "headroom", "lines", "guard_limits"):
        assert saved[key] == found[key]
    assert (saved["evidence"]["n"], saved["state"], saved["stale"]) == (10007, "draft", [])


def test_one_does_not_approve_ones_own_proposal(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(own_home, "allocate", "--target", "5s", "--save", "chat")
    move(own_home, "propose", "ann")
    options = ("budgets", "approve", "chat", "--version", "1", "--as", "ann")
    assert exit_code(monkeypatch, own_home, *options) == 2
    assert "somebody else must approve" in capsys.readouterr().err


def test_an_infeasible_answer_is_not_saved(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert exit_code(monkeypatch, own_home, "allocate", "--target", "100ms", "--save", "chat") == 1
    assert answer(own_home, "budgets", "list") == {"budgets": []}


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("openslo", "5|5[.]0"),
        ("sloth", "5|5[.]0"),
        ("prometheus", "5|5[.]0"),
        ("grafana", "5|5[.]0"),
        ("csv", "chat,1,headroom,headroom,500.000,500,"),
        ("json", '"target_us": 5000000'),
    ],
)
def test_every_export_speaks_of_the_saved_target(own_home: Path, form: str, said: str) -> None:
    answer(own_home, "allocate", "--target", "5s", "--save", "chat")
    done = run(own_home, "budgets", "export", "chat", "--format", form)
    assert done.exit_code == 0
    assert said in done.stdout
    if form in ("json", "grafana"):
        assert json.loads(done.stdout)
    elif form != "csv":
        assert all(yaml.safe_load_all(done.stdout))


def test_an_export_speaks_of_the_metrics_it_is_told(own_home: Path) -> None:
    answer(own_home, "allocate", "--target", "5s", "--workload", "~", "--save", "chat")
    options = ("--histogram", "http_seconds", "--error-label", "code", "--label", "workload=job")
    shown = run(own_home, "budgets", "export", "chat", "--format", "prometheus", *options).stdout
    assert "http_seconds_bucket{job=~" in shown
    assert 'code=""' in shown
    assert "gen_ai" not in shown


@pytest.mark.parametrize(
    "options",
    [("--histogram", "a-b"), ("--error-label", 'x"}'), ("--label", "tenant"), ("--label", "colour=red")],
)
def test_names_that_prometheus_does_not_know_are_refused(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    answer(own_home, "allocate", "--target", "5s", "--save", "chat")
    exported = ("budgets", "export", "chat", "--format", "sloth", *options)
    assert exit_code(monkeypatch, own_home, *exported) == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--label", "workload=region", "--label", "region=region"), "both workload and region"),
        (("--label", "workload=tenant_id"), "both workload and tenant"),
        (("--label", "tenant=a", "--label", "tenant=b"), "given twice for tenant"),
        (("--error-label", "workload"), "both --error-label and workload"),
        (("--label", "stage=le"), "both the histogram's bounds and stage"),
        (("--error-label", "le"), "the histogram's own"),
    ],
)
def test_a_label_with_two_meanings_is_refused(
    own_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    words: str,
) -> None:
    answer(own_home, "allocate", "--target", "5s", "--save", "chat")
    capsys.readouterr()
    exported = ("budgets", "export", "chat", "--format", "sloth", *options)
    assert exit_code(monkeypatch, own_home, *exported) == 2
    (said,) = capsys.readouterr().err.strip().splitlines()
    assert words in said


def test_labels_that_change_places_are_accepted(own_home: Path) -> None:
    answer(own_home, "allocate", "--target", "5s", "--workload", "~", "--save", "chat")
    options = ("--label", "workload=tenant_id", "--label", "tenant=workload")
    shown = run(own_home, "budgets", "export", "chat", "--format", "prometheus", *options)
    assert "tenant_id=~" in shown.stdout


def test_an_alert_that_can_never_fire_is_told_with_one_that_can(own_home: Path) -> None:
    answer(own_home, "allocate", "--target", "5s", "--percentile", "90", "--save", "chat")
    done = run(own_home, "budgets", "export", "chat", "--format", "prometheus")
    said = " ".join(done.stderr.split())
    assert "a burn of 14.4 needs more than 100 % errors" in said
    assert "can never fire" in said
    assert "in place of 2% can" in said


HEADER = "request_id,timestamp,model,prompt_name,prompt_version,prefill_ms,decode_ms"


def day(number: int, model: str = "llama", version: int = 3, n: int = 400) -> list[tuple[object, ...]]:
    return [
        (
            f"d{number}-{i}",
            f"2026-11-{number:02d}T{i // 60:02d}:{i % 60:02d}:00Z",
            model,
            "qa",
            version,
            300,
            500 + i,
        )
        for i in range(n)
    ]


@pytest.fixture
def dated_home(tmp_path: Path) -> Path:
    import_csv(tmp_path / "home", tmp_path / "logs", HEADER, day(1))
    answer(tmp_path / "home", "allocate", "--target", "5s", "--save", "chat")
    return tmp_path / "home"


def test_the_same_traffic_a_day_later_leaves_a_budget_fresh(dated_home: Path, tmp_path: Path) -> None:
    import_csv(dated_home, tmp_path / "logs", HEADER, day(2))
    assert reasons(dated_home) == []


def test_a_new_model_makes_a_budget_stale_wherever_it_is_shown(dated_home: Path, tmp_path: Path) -> None:
    import_csv(dated_home, tmp_path / "logs", HEADER, day(2, model="qwen"))
    (reason,) = reasons(dated_home)
    assert "New model in its traffic: qwen." in reason
    assert answer(dated_home, "budgets", "list")["budgets"][0]["stale"] == [reason]
    checked = run(dated_home, "check", "chat", "--json")
    assert json.loads(checked.stdout)["stale"] == [reason]
    assert "stale" in run(dated_home, "budgets", "export", "chat", "--format", "csv").stderr


def test_a_new_prompt_version_makes_a_budget_stale(dated_home: Path, tmp_path: Path) -> None:
    import_csv(dated_home, tmp_path / "logs", HEADER, day(2, version=4))
    (reason,) = reasons(dated_home)
    assert "qa@4" in reason


def test_an_old_budget_is_stale(dated_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = clock.now_us()
    monkeypatch.setattr(clock, "now_us", lambda: now + 31 * 86_400_000_000)
    (reason,) = reasons(dated_home)
    assert "31 days ago" in reason


def test_remapped_hops_make_a_budget_stale(tmp_path: Path) -> None:
    home = tmp_path / "home"
    file = write(tmp_path / "traces.jsonl", traces(range(400)))
    assert run(home, "import", str(file), "--json").exit_code == 0
    answer(home, "allocate", "--target", "5s", "--save", "chat")
    assert reasons(home) == []
    (home / "rules.toml").write_text('[[hop]]\nname = "queue"\nhop = "gateway"\n')
    assert run(home, "rebuild").exit_code == 0
    (reason,) = reasons(home)
    assert "hop mapping changed" in reason
