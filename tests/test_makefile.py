"""The documented ways in work as described on machines that lack things."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from scripts import ensure_programs
from scripts.ensure_programs import PROGRAMS, find

ROOT = Path(__file__).parent.parent
FIND_PYTHON = ROOT / "scripts" / "find_python.sh"


def program(folder: Path, name: str, script: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def find_python(path: Path) -> subprocess.CompletedProcess[str]:
    env = {"PATH": str(path)}
    return subprocess.run(["/bin/sh", str(FIND_PYTHON)], env=env, capture_output=True, text=True, check=False)


def test_a_shim_that_does_not_run_is_passed_over(tmp_path: Path) -> None:
    program(tmp_path, "python3.13", "exit 127")
    real = program(tmp_path, "python3", f'exec "{sys.executable}" "$@"')
    done = find_python(tmp_path)
    assert done.stdout.strip() == str(real)


def test_an_old_python_is_refused_in_one_line_that_says_what_to_do(tmp_path: Path) -> None:
    program(tmp_path, "python3", "exit 1")
    done = find_python(tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Python 3.11" in done.stderr
    assert "apt-get install" in done.stderr


def test_a_browser_is_found_by_name_and_by_wish(tmp_path: Path) -> None:
    known = program(tmp_path, "google-chrome", "exit 0")
    wished = program(tmp_path, "my-chromium", "exit 0")
    assert find(PROGRAMS["chromium"], {"PATH": str(tmp_path)}) == str(known)
    assert find(PROGRAMS["chromium"], {"PATH": str(tmp_path), "BROWSER": str(wished)}) == str(wished)


def test_a_wish_for_another_kind_of_browser_is_not_taken_for_chromium(tmp_path: Path) -> None:
    other = program(tmp_path, "firefox", "exit 0")
    assert find(PROGRAMS["chromium"], {"PATH": str(tmp_path), "BROWSER": str(other)}) is None


def test_the_newest_of_several_servers_is_found_though_none_is_on_the_path(tmp_path: Path) -> None:
    for version in ("9", "15", "16"):
        folder = tmp_path / "postgresql" / version / "bin"
        folder.mkdir(parents=True)
        program(folder, "initdb", "exit 0")
    looked_for = replace(PROGRAMS["postgresql"], folders=f"{tmp_path}/postgresql/*/bin")
    found = find(looked_for, {"PATH": str(tmp_path)})
    assert found == str(tmp_path / "postgresql" / "16" / "bin" / "initdb")


def ensure(path: Path, *names: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts" / "ensure_programs.py"), *names]
    env = {"PATH": str(path), "LOG": str(path / "log")}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_a_program_that_cannot_be_installed_is_told_and_stops_nothing(tmp_path: Path) -> None:
    done = ensure(tmp_path, "promtool")
    assert done.returncode == 0
    assert "the alert rule tests are NOT RUN. Install the package prometheus" in done.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="speaks of what root may do")
def test_one_package_that_is_refused_leaves_the_others_to_be_installed(tmp_path: Path) -> None:
    for name in ("env", "echo", "chmod"):
        program(tmp_path, name, f'exec /usr/bin/{name} "$@"')
    lines = (
        'echo "$*" >> "$LOG"',
        'case "$*" in',
        "*chromium*) exit 100;;",
        f"*prometheus*) echo > {tmp_path}/promtool; chmod +x {tmp_path}/promtool;;",
        "esac",
    )
    program(tmp_path, "apt-get", "\n".join(lines))
    done = ensure(tmp_path, "chromium", "promtool")
    assert f"promtool: {tmp_path}/promtool" in done.stdout
    assert "No Chromium was found" in done.stdout
    calls = (tmp_path / "log").read_text().splitlines()
    assert [call.split()[0] for call in calls] == ["update", "install", "install"]


def test_without_a_package_manager_nothing_is_installed(tmp_path: Path) -> None:
    assert ensure_programs.install_prefix({"PATH": str(tmp_path)}) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="speaks of what root may do")
def test_root_needs_no_sudo(tmp_path: Path) -> None:
    program(tmp_path, "apt-get", "exit 0")
    assert ensure_programs.install_prefix({"PATH": str(tmp_path)}) == []


def test_without_a_browser_the_browser_tests_say_that_they_were_not_run(tmp_path: Path) -> None:
    env = {**os.environ, "PATH": str(tmp_path), "BROWSER": ""}
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command = [*pytest, "tests/browser", "-m", "browser"]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert "browser tests were NOT RUN" in done.stdout
    assert "passed" not in done.stdout


def test_make_alone_lists_what_there_is() -> None:
    done = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=False)
    for target in ("run", "test", "check", "bench", "lock"):
        assert f"make {target} " in done.stdout
