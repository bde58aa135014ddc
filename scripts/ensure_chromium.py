"""Find a Chromium for the browser tests, or install one with the system's package manager.

Run as a program it never fails: without a browser the browser tests are reported as not run,
with the line that this module prints.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PACKAGES = ("chromium", "fonts-dejavu-core")
ADVICE = (
    "No Chromium was found: the browser tests are NOT RUN. Install the package chromium "
    "(or google-chrome), or name the program: BROWSER=/path/to/chromium make test"
)


def find_chromium(env: Mapping[str, str]) -> str | None:
    """Path of a Chromium: ``BROWSER`` when it names a program, else the first known name on ``PATH``."""
    wanted = env.get("BROWSER", "")
    path = env.get("PATH", os.defpath)
    for name in (wanted, *NAMES):
        found = shutil.which(name, path=path) if name else None
        if found and "chrom" in found.rsplit("/", 1)[-1].lower():
            return found
    return None


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


def install(prefix: list[str]) -> bool:
    """Install Chromium and a font from the system's packages; False when the package manager refuses."""
    commands = (
        [*prefix, "apt-get", "update", "-qq"],
        [*prefix, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *PACKAGES],
    )
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return all(subprocess.run(command, env=env, check=False).returncode == 0 for command in commands)


def main() -> int:
    """Print where the browser is, installing it first when that can be done without a password."""
    found = find_chromium(os.environ)
    if found is None:
        prefix = install_prefix(os.environ)
        if prefix is not None:
            print(f"Installing {' '.join(PACKAGES)} for the browser tests")
            install(prefix)
            found = find_chromium(os.environ)
    print(f"Chromium: {found}" if found else ADVICE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
