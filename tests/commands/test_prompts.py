from __future__ import annotations

from pathlib import Path

import pytest

from budget_model.settings import load_settings
from budget_model.store.ledger import Ledger
from budget_model.store.prompt_catalog import PromptCatalog, StoredPrompt
from tests.commands.homes import answer, exit_code, import_csv, run

HEADER = "request_id,timestamp,tenant,prompt_name,prompt_version,status,e2e_ms,ttft_ms"
HOSTILE = "[red]x[/red]\x1b[31m\u202e"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    rows = [
        (
            *(f"r{i}", f"2026-12-01T{i // 60:02d}:{i % 60:02d}:00Z", ("acme", "globex")[i % 2]),
            *("chat" if i <= 80 else "[b]other", 2 + (i > 40) if i <= 80 else ""),
            *("error" if i in (1, 2) else "ok", i, i / 2 if i > 40 else ""),
        )
        for i in range(1, 91)
    ]
    import_csv(folder / "home", folder / "logs", HEADER, rows)
    ledger = Ledger(load_settings(folder / "home", {}))
    texts = {"2": f"Be brief.\n{HOSTILE}", "3": f"Be kind.\n{HOSTILE}", "1": "gone"}
    PromptCatalog(ledger).put(
        [
            StoredPrompt("http://mlflow", "chat", version, text, len(text), False, None, "d", 1)
            for version, text in texts.items()
        ]
    )
    ledger.close()
    return folder / "home"


def test_each_version_has_its_n_its_interval_and_its_times(home: Path) -> None:
    found = answer(home, "prompts", "--percentile", "50")
    assert (found["method"], found["percentile"], found["unused_versions"]) == ("nearest-rank", 50, 1)
    assert [row["prompt"] for row in found["rows"]] == ["[b]other", "chat@3", "chat@2"]
    three, two = found["rows"][1:]
    assert (three["before"], three["text_known"], three["first"]) == ("2", True, "2026-12-01T00:41Z")
    assert three["e2e"] == {
        "n": 40, "missing": 0, "p50_ms": 60, "ci95": {"p50_ms": [54, 67]}, "grade": three["e2e"]["grade"]
    }  # fmt: skip
    assert (two["requests"], two["failed"], two["e2e"]["n"], two["e2e"]["p50_ms"]) == (40, 2, 38, 21)
    assert (two["ttft"]["n"], two["ttft"]["missing"], two["ttft"]["p50_ms"]) == (0, 38, None)


def test_one_prompt_one_version_and_a_filter_can_be_asked_for(home: Path) -> None:
    assert [row["version"] for row in answer(home, "prompts", "chat")["rows"]] == ["3", "2"]
    assert [row["version"] for row in answer(home, "prompts", "chat@2")["rows"]] == ["2"]
    [row] = answer(home, "prompts", "chat@2", "--tenant", "acme")["rows"]
    assert (row["e2e"]["n"], row["failed"]) == (19, 1)


def test_a_prompt_nobody_used_is_one_sentence(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(monkeypatch, home, "prompts", "nope") == 2
    said = capsys.readouterr().err
    assert "no request here was made with a prompt 'nope'; there are '[b]other', 'chat'" in said
    assert "Traceback" not in said


def test_the_difference_is_printed_line_by_line_and_given_as_json(home: Path) -> None:
    [row] = answer(home, "prompts", "chat@3", "--diff")["rows"]
    assert row["text"]["difference"] == ["-Be brief.", "+Be kind.", f" {HOSTILE}"]
    assert (row["text"]["words_removed"], row["text"]["words_added"], row["text"]["remarks"]) == (1, 1, [])
    shown = run(home, "prompts", "chat@3", "--diff").output
    assert "chat: version 3 beside 2\nwords: 1 removed, 1 added\n-Be brief.\n+Be kind.\n" in shown


def test_texts_and_names_are_text_and_nothing_a_terminal_acts_on(home: Path) -> None:
    shown = run(home, "prompts", "--diff").output
    assert "[b]other" in shown
    assert " [red]x[/red]\N{REPLACEMENT CHARACTER}[31m\N{REPLACEMENT CHARACTER}" in shown
    assert "Its requests carry no version." in shown
    assert "\x1b[31m" not in shown


def test_without_any_prompt_it_says_so(tmp_path: Path) -> None:
    import_csv(tmp_path / "home", tmp_path / "logs", "request_id,e2e_ms", [("r1", 5)])
    assert "No request here names a prompt." in run(tmp_path / "home", "prompts").output
    assert answer(tmp_path / "home", "prompts")["rows"] == []
