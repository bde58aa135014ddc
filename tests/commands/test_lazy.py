"""Commands are imported when they are used, and listed with their own words."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from budget_model.cli import Commands, app
from budget_model.commands.lazy import load


@pytest.mark.parametrize("name", Commands.entries)
def test_a_listed_command_says_what_the_command_itself_says(name: str) -> None:
    command = load(name, Commands.entries[name])
    assert command.name == name
    assert (command.help or "").splitlines()[0] == Commands.entries[name].help


def test_the_help_lists_every_command_without_importing_any() -> None:
    script = """if True:
        import sys
        from typer.testing import CliRunner
        from budget_model.cli import app
        print(CliRunner().invoke(app, ["--help"]).output)
        print("imported", sorted({"sqlalchemy", "duckdb", "pyarrow", "numpy"} & set(sys.modules)))
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "imported []" in done.stdout
    for name, entry in Commands.entries.items():
        assert name in done.stdout
        assert entry.help.split()[0] in done.stdout


def test_an_unknown_command_is_refused_with_the_nearest_one() -> None:
    done = CliRunner().invoke(app, ["percentile"])
    assert done.exit_code == 2
    assert "percentiles" in done.output


def test_an_import_loads_no_query_engine() -> None:
    script = "import sys, budget_model.commands.import_; print('duckdb' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
