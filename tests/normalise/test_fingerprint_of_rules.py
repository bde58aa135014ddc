"""The fingerprint of the rules says whether facts are up to date, so it may not vary by itself."""

from __future__ import annotations

import os
import subprocess
import sys

from budget_model.normalise.rules import load_rules

PRINT = "from budget_model.normalise.rules import load_rules; print(load_rules(None).fingerprint)"


def test_every_process_computes_the_same_fingerprint() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", PRINT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2", "3")
    }
    assert found == {load_rules(None).fingerprint}
