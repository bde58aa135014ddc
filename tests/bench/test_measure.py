"""What the bench reports is of the whole process tree, and of programs that did their work."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from bench.measure import PROC, BenchFailedError, Measured, run, summarise, tree_cpu_s

HOLD_50_MB = "import time; held = bytearray(50 * 1024 * 1024); time.sleep(0.5); print(len(held))"
IN_A_CHILD = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {HOLD_50_MB!r}], check=True)"


@pytest.mark.skipif(not PROC.is_dir(), reason="memory is read from /proc")
def test_memory_of_children_is_counted() -> None:
    done = run([sys.executable, "-c", IN_A_CHILD], os.environ)
    assert done.stdout.strip() == str(50 * 1024 * 1024)
    assert done.peak_mb is not None
    assert 50 < done.peak_mb < 150


@pytest.mark.skipif(not PROC.is_dir(), reason="processor time of others is read from /proc")
def test_processor_time_is_of_the_whole_tree() -> None:
    work = "import time; end = time.process_time() + 0.5\nwhile time.process_time() < end: pass\n"
    held = f"{work}import sys; print(flush=True); sys.stdin.read()"
    parent = f"import subprocess, sys; sys.exit(subprocess.run([sys.executable, '-c', {held!r}]).returncode)"
    with subprocess.Popen(
        [sys.executable, "-c", parent], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        used_s = tree_cpu_s(process.pid)
        process.communicate()
    assert used_s is not None
    assert 0.5 <= used_s < 5


def test_a_program_that_fails_gives_no_figure_but_its_last_words() -> None:
    with pytest.raises(BenchFailedError, match="no such luck"):
        run([sys.executable, "-c", "raise SystemExit('no such luck')"], os.environ)


def test_medians_are_reported_with_their_spread() -> None:
    summary = summarise([Measured(3.0, 10.0, ""), Measured(1.0, None, ""), Measured(2.0, 30.0, "")])
    assert (summary.fastest_s, summary.wall_s, summary.slowest_s, summary.peak_mb) == (1.0, 2.0, 3.0, 20.0)
