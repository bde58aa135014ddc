"""Find the programs that some tests need, or install them with the system's package manager.

Run as a program it never fails: without a program the tests that need it are reported as not run,
with the line that this module prints. Names on the command line choose among ``PROGRAMS``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Program:
    """A program that tests look for.

    ``names`` are tried on ``PATH`` in order, after the value of ``variable``; ``folders`` are
    patterns, newest version last, of places that are not on ``PATH``. ``marks`` is what the name of
    a wished-for program must contain to be taken for it.
    """

    title: str
    names: tuple[str, ...]
    packages: tuple[str, ...]
    needed_for: str
    variable: str = ""
    marks: str = ""
    folders: str = ""

    @property
    def advice(self) -> str:
        """What to do without it."""
        wish = f", or name the program: {self.variable}=/path/to/{self.names[0]} make test"
        return (
            f"No {self.title} was found: the {self.needed_for} tests are NOT RUN. "
            f"Install the package {self.packages[0]}{wish if self.variable else ''}"
        )


PROGRAMS: dict[str, Program] = {
    "chromium": Program(
        title="Chromium",
        names=("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
        packages=("chromium", "fonts-dejavu-core"),
        needed_for="browser",
        variable="BROWSER",
        marks="chrom",
    ),
    "promtool": Program(
        title="promtool",
        names=("promtool",),
        packages=("prometheus",),
        needed_for="alert rule",
    ),
    "postgresql": Program(
        title="PostgreSQL",
        names=("initdb",),
        packages=("postgresql",),
        needed_for="PostgreSQL",
        folders="/usr/lib/postgresql/*/bin",
    ),
}


def find(program: Program, env: Mapping[str, str]) -> str | None:
    """Path of a program: the wish in its variable, else the first known name, else its folders."""
    path = env.get("PATH", os.defpath)
    for name in (env.get(program.variable, "") if program.variable else "", *program.names):
        found = shutil.which(name, path=path) if name else None
        if found and program.marks in found.rsplit("/", 1)[-1].lower():
            return found
    return _in_folders(program)


def _in_folders(program: Program) -> str | None:
    if not program.folders:
        return None
    folders = sorted(Path("/").glob(program.folders.lstrip("/")), key=_version)
    found = [str(folder / name) for folder in folders for name in program.names if (folder / name).exists()]
    return found[-1] if found else None


def _version(folder: Path) -> int:
    number = folder.parent.name
    return int(number) if number.isdigit() else 0


def install_prefix(env: Mapping[str, str]) -> list[str] | None:
    """What goes before ``apt-get`` to run it as root: nothing, ``sudo -n``, or None when that cannot be."""
    path = env.get("PATH", os.defpath)
    if shutil.which("apt-get", path=path) is None:
        return None
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo", path=path) is None:
        return None
    passwordless = subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0
    return ["sudo", "-n"] if passwordless else None


def install(prefix: list[str], programs: Sequence[Program]) -> None:
    """Install the packages of each program; one that the package manager refuses stops no other.

    Tests start the servers they need themselves, so none that a package brings has to run.
    """
    # Under sudo the environment is set by env, because sudo does not pass it on.
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    subprocess.run([*apt, "update", "-qq"], check=False)
    for program in programs:
        print(f"Installing {' '.join(program.packages)} for the {program.needed_for} tests", flush=True)
        command = [*apt, "install", "-y", "-qq", "--no-install-recommends", *program.packages]
        subprocess.run(command, check=False)


def main(names: Sequence[str]) -> int:
    """Print where each program is, installing what is missing when that can be done without a password."""
    wanted = [PROGRAMS[name] for name in names or PROGRAMS]
    missing = [program for program in wanted if find(program, os.environ) is None]
    prefix = install_prefix(os.environ) if missing else None
    if prefix is not None:
        install(prefix, missing)
    for program in wanted:
        found = find(program, os.environ)
        print(f"{program.title}: {found}" if found else program.advice)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
