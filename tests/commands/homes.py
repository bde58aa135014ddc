"""A home folder filled by the import command's own way, for the tests of the commands."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from budget_model.cli import app, main


def run(home: Path, *arguments: str) -> Result:
    """The command, run in this process."""
    return CliRunner().invoke(app, [*arguments, "--home", str(home)])


def answer(home: Path, *arguments: str) -> Any:
    """What the command prints with ``--json``; the command must succeed."""
    done = run(home, *arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def import_csv(home: Path, folder: Path, header: str, rows: Iterable[Sequence[object]]) -> None:
    """Import a request log with these rows."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"log{len(list(folder.iterdir()))}.csv"
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    done = run(home, "import", str(path), "--json")
    assert done.exit_code == 0, done.output


def exit_code(monkeypatch: pytest.MonkeyPatch, home: Path, *arguments: str) -> int:
    """The exit code of the command as a shell sees it, refusals included."""
    monkeypatch.setattr("sys.argv", ["tailbudget", *arguments, "--home", str(home)])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code if isinstance(ended.value.code, int) else 0
