"""What commands make of a home that is not there or cannot be written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.homes import exit_code

NOBODY = 65534

READING = [
    ("runs",),
    ("runs", "history", "some-run", "loss"),
    ("percentiles",),
    ("waterfall",),
    ("coverage",),
    ("prompts",),
    ("review",),
    ("whatif", "--rank"),
    ("rebuild",),
    ("allocate", "--target", "5s", "--save", "chat"),
    ("check", "chat"),
    ("budgets", "list"),
    ("budgets", "show", "chat"),
    ("publish", "mlflow", "chat", "--to", "http://localhost:1"),
    ("publish", "mlflow", "--review", "2026-W49", "--to", "http://localhost:1"),
]


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
def test_a_command_that_reads_refuses_a_home_that_is_not_there_and_makes_none(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
) -> None:
    assert exit_code(monkeypatch, tmp_path / "typo" / "x", *arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert "there is no data in" in line
    assert "which does not exist" in line
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def unwritable() -> Iterator[Path]:
    """An empty folder that this process may read and not write; root lends its rights for that long."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o555)
        root = os.geteuid() == 0
        if root:
            os.setresuid(NOBODY, NOBODY, 0)
        try:
            yield folder
        finally:
            if root:
                os.setresuid(0, 0, 0)
            folder.chmod(0o755)


def test_a_home_that_cannot_be_written_is_named_with_what_to_do(
    unwritable: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(monkeypatch, unwritable, "percentiles") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{unwritable} cannot be written, which the ledger needs even to be read")
    assert "another folder with --home" in line
    assert exit_code(monkeypatch, unwritable, "doctor") == 1
    said = capsys.readouterr().out
    assert "it cannot be written to" in said
    assert "damaged" not in said
    assert exit_code(monkeypatch, unwritable / "new", "runs", "import", __file__) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{unwritable / 'new'} cannot be made or opened (Permission denied)")
    assert "another folder with --home" in line
