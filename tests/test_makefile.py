"""The documented ways in work as described on machines that lack things."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import ensure_chromium

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
    assert ensure_chromium.find_chromium({"PATH": str(tmp_path)}) == str(known)
    assert ensure_chromium.find_chromium({"PATH": str(tmp_path), "BROWSER": str(wished)}) == str(wished)


def test_a_wish_for_another_kind_of_browser_is_not_taken_for_chromium(tmp_path: Path) -> None:
    other = program(tmp_path, "firefox", "exit 0")
    assert ensure_chromium.find_chromium({"PATH": str(tmp_path), "BROWSER": str(other)}) is None


def test_without_a_package_manager_nothing_is_installed(tmp_path: Path) -> None:
    assert ensure_chromium.install_prefix({"PATH": str(tmp_path)}) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="speaks of what root may do")
def test_root_needs_no_sudo(tmp_path: Path) -> None:
    program(tmp_path, "apt-get", "exit 0")
    assert ensure_chromium.install_prefix({"PATH": str(tmp_path)}) == []


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
