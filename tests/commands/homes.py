"""A home folder filled by the import command's own way, for the tests of the commands."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from budget_model.cli import app, main


def run(home: Path, *arguments: str) -> Result:
    """The command, run in this process."""
    with _own_finders():
        return CliRunner().invoke(app, [*arguments, "--home", str(home)])


@contextmanager
def _own_finders() -> Iterator[None]:
    """A command may leave modules out of its process, which is not to outlive it here."""
    finders = list(sys.meta_path)
    try:
        yield
    finally:
        sys.meta_path[:] = finders


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
    with _own_finders(), pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code if isinstance(ended.value.code, int) else 0
