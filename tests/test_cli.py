from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.homes import exit_code

NO_TEXT = "caf\udcff\udcfe"
"""What Python makes of the bytes ff and fe in an argument."""


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("allocate", "--target", "5s", "--save", NO_TEXT), "--save "),
        (("percentiles", "--workload", NO_TEXT), "--workload "),
        (("check", NO_TEXT), ""),
        (("budgets", "approve", "chat", "--as", NO_TEXT), "--as "),
        (("import", f"{NO_TEXT}.json"), ""),
        ((NO_TEXT,), ""),
        ((f"--{NO_TEXT}", NO_TEXT), ""),
    ],
)
def test_an_argument_that_is_not_utf8_is_named_in_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    named: str,
) -> None:
    assert exit_code(monkeypatch, tmp_path / "home", *arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert line.startswith(f"{named}'")
    assert r"caf\xff\xfe" in line
    assert "is not text in UTF-8" in line
    assert not (tmp_path / "home").exists()


def test_text_of_any_language_is_let_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(monkeypatch, tmp_path, "percentiles", "--workload", "问答 🙂\n") == 0
    assert capsys.readouterr().err == ""
