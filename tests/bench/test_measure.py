"""What the bench reports is of the whole process tree, and of programs that did their work."""

from __future__ import annotations

import os
import sys

import pytest

from bench.measure import PROC, BenchFailedError, Measured, run, summarise

HOLD_50_MB = "import time; held = bytearray(50 * 1024 * 1024); time.sleep(0.5); print(len(held))"
IN_A_CHILD = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {HOLD_50_MB!r}], check=True)"


@pytest.mark.skipif(not PROC.is_dir(), reason="memory is read from /proc")
def test_memory_of_children_is_counted() -> None:
    done = run([sys.executable, "-c", IN_A_CHILD], os.environ)
    assert done.stdout.strip() == str(50 * 1024 * 1024)
    assert done.peak_mb is not None
    assert 50 < done.peak_mb < 150


def test_a_program_that_fails_gives_no_figure_but_its_last_words() -> None:
    with pytest.raises(BenchFailedError, match="no such luck"):
        run([sys.executable, "-c", "raise SystemExit('no such luck')"], os.environ)


def test_medians_are_reported_with_their_spread() -> None:
    summary = summarise([Measured(3.0, 10.0, ""), Measured(1.0, None, ""), Measured(2.0, 30.0, "")])
    assert (summary.fastest_s, summary.wall_s, summary.slowest_s, summary.peak_mb) == (1.0, 2.0, 3.0, 20.0)
