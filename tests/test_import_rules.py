"""Who may import whom: the contracts of pyproject.toml hold, and what they cannot say holds too."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "budget_model"


def imported_by(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def python_files(*folders: Path) -> list[Path]:
    found = sorted(path for folder in folders for path in folder.rglob("*.py"))
    assert found
    return found


def test_the_import_contracts_hold() -> None:
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [program, "--no-logo", "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


def test_the_mathematics_imports_numpy_and_the_standard_library_alone() -> None:
    allowed = sys.stdlib_module_names | {"numpy"}
    own = ("budget_model.domain", "budget_model.units", "budget_model.errors")
    strangers = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in python_files(PACKAGE / "domain")
        for name in imported_by(path)
        if name.split(".")[0] not in allowed and not name.startswith(own)
    }
    assert strangers == set()


@pytest.mark.parametrize("folder", ["domain", "normalise"])
def test_pure_packages_reach_for_no_clock_disk_network_or_chance(folder: str) -> None:
    impure = {"time", "os", "pathlib", "shutil", "tempfile", "socket", "subprocess", "urllib", "random"}
    used = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in python_files(PACKAGE / folder)
        for name in imported_by(path)
        if name.split(".")[0] in impure
    }
    assert used == set()


def test_pages_hold_no_logic_of_their_own() -> None:
    for page in [ROOT / "app.py", *python_files(ROOT / "pages")]:
        names = {name.split(".")[0] for name in imported_by(page)} - {"__future__"}
        assert names <= {"budget_model", "streamlit"}, page.name
        assert len(page.read_text(encoding="utf-8").splitlines()) <= 15, page.name


def test_opening_the_dashboard_does_not_import_mlflow() -> None:
    views = sorted(path.stem for path in (PACKAGE / "views").glob("*.py") if path.stem != "__init__")
    assert views
    lines = [f"import budget_model.views.{name}" for name in views]
    script = "\n".join(
        ["import sys", *lines, "assert 'streamlit' in sys.modules", "print('mlflow' in sys.modules)"]
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith("False")


def test_running_the_command_does_not_import_the_dashboard() -> None:
    script = (
        "import sys, budget_model.cli; print({'streamlit', 'plotly', 'mlflow'} & set(sys.modules) or 'none')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "none", done.stdout + done.stderr
