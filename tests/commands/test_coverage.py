from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.homes import answer, exit_code, run
from tests.services.homes import span, write


@pytest.fixture
def traced(tmp_path: Path) -> Path:
    """A home with two requests of a service that sends a root, a queue and a call without a first token."""
    spans = [span(trace, place, kind=1) for trace in range(2) for place in (0, 1, 3)]
    for one in spans:
        one["name"] = "llm.call" if one["name"] == "decode" else one["name"]
    done = run(tmp_path / "home", "import", str(write(tmp_path / "traces.jsonl", spans)), "--json")
    assert done.exit_code == 0, done.output
    return tmp_path / "home"


def test_without_spans_the_command_says_how_to_bring_some(tmp_path: Path) -> None:
    done = run(tmp_path, "coverage")
    assert done.exit_code == 0
    assert "No spans yet" in done.stdout
    assert answer(tmp_path, "coverage") == {"services": []}


def test_a_service_is_listed_with_what_it_sends_and_what_is_missing(traced: Path) -> None:
    told = run(traced, "coverage").stdout
    assert "queue, decode, tenant" in told
    assert (
        "assistant: no first-token event: prefill and decode cannot be told apart for 2 of 2 model calls"
        in told
    )
    assert "add_event" not in told


def test_one_service_is_told_with_the_lines_that_add_what_is_missing(traced: Path) -> None:
    told = run(traced, "coverage", "--service", "assistant").stdout
    assert '            call.add_event("gen_ai.first_token")' in told
    assert "# MLflow" in told


def test_every_count_is_in_the_json_with_its_times(traced: Path) -> None:
    [found] = answer(traced, "coverage")["services"]
    counted = [found[name] for name in ("service", "log", "spans", "requests", "ok")]
    assert counted == ["assistant", None, 6, 2, 2]
    assert found["first"] == "2025-12-01T00:00:00+00:00"
    times = {"first": "2025-12-01T00:00:00+00:00", "last": "2025-12-01T00:00:01+00:00"}
    assert found["hops"]["queue"] == {"n": 2, "of": 2, "spans": 2, **times}
    assert found["hops"]["retrieval"]["first"] is None
    assert (found["model_calls"], found["first_tokens"]) == (2, 0)
    gap = found["missing"][0]
    assert (gap["what"], gap["n"], gap["of"]) == ("first_token", 2, 2)
    assert "mlflow.start_span" in gap["lines"]["mlflow"]


def test_a_service_that_sent_nothing_is_an_understood_no(
    traced: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(monkeypatch, traced, "coverage", "--service", "db") == 2
    assert "those that sent some: assistant" in capsys.readouterr().err


def test_a_services_name_is_text(tmp_path: Path) -> None:
    path = write(tmp_path / "traces.jsonl", [span(0, 0)])
    path.write_text(path.read_text().replace("assistant", "[red]x\\u001b[31m"))
    assert run(tmp_path / "home", "import", str(path), "--json").exit_code == 0
    told = run(tmp_path / "home", "coverage").stdout
    assert "[red]x" in told
    assert "\x1b[31m" not in told
