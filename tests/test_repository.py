"""The repository is fit to be cloned anywhere: no machine's traces, no addresses, nothing huge."""

from __future__ import annotations

import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MOST_BYTES = 3 * 1024 * 1024

# Spelled in pieces so that this file does not hold what it looks for.
REGISTRY_HOSTS = (
    "py" + "pi.org",
    "python" + "hosted",
    "index" + "-url",
    "find" + "-links",
    "registry." + "npmjs",
)
MACHINE_PATHS = ("/" + "work/", "/" + "tmp/", "/" + "root/", "/" + "home/", "/" + "Users/")
BINARY = {".png", ".parquet", ".gz", ".zst", ".pb", ".bin"}


@cache
def tracked() -> tuple[Path, ...]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip("not a git checkout")
    return tuple(path for name in done.stdout.split("\0") if name and (path := ROOT / name).is_file())


def lines_with(pattern: str, *, leave_out: tuple[str, ...] = ()) -> list[str]:
    found = []
    for path in tracked():
        if path.suffix in BINARY or path.relative_to(ROOT).as_posix().startswith(leave_out):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found += [
            f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}"
            for number, line in enumerate(text.splitlines(), 1)
            if re.search(pattern, line)
        ]
    return found


def test_no_file_names_a_package_registry() -> None:
    hosts = "|".join(map(re.escape, REGISTRY_HOSTS))
    makefile_passes_the_flag_that_keeps_them_out = ("Makefile",)
    assert lines_with(hosts, leave_out=makefile_passes_the_flag_that_keeps_them_out) == []


def test_no_file_names_a_path_of_someones_machine() -> None:
    paths = rf"(?<![\w.])({'|'.join(MACHINE_PATHS)})"
    others_may_name_theirs_in_recorded_traces = ("data/", "tests/data/")
    assert lines_with(paths, leave_out=others_may_name_theirs_in_recorded_traces) == []


def test_no_file_is_larger_than_three_megabytes() -> None:
    assert {str(path): path.stat().st_size for path in tracked() if path.stat().st_size > MOST_BYTES} == {}


def test_the_lock_file_holds_hashes_and_no_address() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert "://" not in lock
    pinned = re.findall(
        r"^[a-z0-9-]+==\S+(?: ;[^\\\n]*)? \\\n    --hash=sha256:[0-9a-f]{64}", lock, re.MULTILINE
    )
    assert len(pinned) == len(re.findall(r"^[a-z0-9]", lock, re.MULTILINE)) > 50


def test_every_declared_dependency_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {re.split(r"[\[<>=!~ ;]", entry)[0].lower() for entry in declared}
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert names - set(re.findall(r"^([a-z0-9-]+)==", lock, re.MULTILINE)) == set()


def test_what_builds_the_package_is_locked_so_that_installing_fetches_nothing_more() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert {"hatchling", "editables"} <= set(re.findall(r"^([a-z0-9-]+)==", lock, re.MULTILINE))
