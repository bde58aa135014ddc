"""Import speed and peak memory beside DuckDB's ``read_json`` + ``unnest`` of the same file.

Every run is a fresh process with a fresh home; the two take turns, so that a busy machine slows
both. A first, small run of each is not counted: it compiles the modules, as an installation does.
Ours ends with hops, duplicates, rejects and the ledger done; DuckDB's with a table of spans.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bench.measure import Measured, Summary, run, summarise
from bench.table import show
from bench.traces import SPANS_PER_TRACE, write_traces

ROOT = Path(__file__).parent.parent
WORKERS = 2
_WARM_UP_TRACES = 2_000


def import_once(file: Path, home: Path, spans: int, env: Mapping[str, str]) -> Measured:
    """One run of ``tailbudget import`` into an empty home; checked to have taken every span."""
    program = Path(sys.executable).with_name("tailbudget")
    command = [str(program), "import", str(file), "--json", "--home", str(home)]
    done = run(command, {**env, "TAILBUDGET_WORKERS": str(WORKERS)})
    totals = json.loads(done.stdout)["totals"]
    if totals["accepted"] != spans:
        raise SystemExit(f"the import took {totals['accepted']} of {spans} spans, so its time means nothing")
    return done


def duckdb_once(file: Path, spans: int, env: Mapping[str, str]) -> Measured:
    """One run of DuckDB over the same file; checked to have seen every span."""
    done = run([sys.executable, "-m", "bench.duckdb_import", str(file)], {**env, "PYTHONPATH": str(ROOT)})
    if int(done.stdout) != spans:
        raise SystemExit(f"DuckDB saw {done.stdout.strip()} of {spans} spans, so its time means nothing")
    return done


def environment(modules: Path) -> dict[str, str]:
    """This process's environment, with compiled modules kept in the folder ``modules``."""
    others = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**others, "PYTHONPYCACHEPREFIX": str(modules)}


def warm_up(folder: Path, env: Mapping[str, str]) -> None:
    """A run of each that compiles their modules."""
    small = folder / "small.jsonl"
    write_traces(small, _WARM_UP_TRACES, seed=1)
    duckdb_once(small, _WARM_UP_TRACES * SPANS_PER_TRACE, env)
    import_once(small, folder / "home-small", _WARM_UP_TRACES * SPANS_PER_TRACE, env)


def print_table(ours: Summary, theirs: Summary, spans: int, runs: int) -> None:
    """One row for each of the two and one for the ratio."""
    memory = "" if not ours.peak_mb or not theirs.peak_mb else f"{ours.peak_mb / theirs.peak_mb:.2f} x"
    cpu = f"{ours.cpu_s / theirs.cpu_s:.2f} x"
    rows = [
        _row(f"tailbudget import, {WORKERS} workers", ours, spans),
        _row("DuckDB read_json + unnest", theirs, spans),
        ("ours beside DuckDB", "", f"{theirs.wall_s / ours.wall_s:.2f} x as fast", cpu, memory),
    ]
    title = f"Import of {spans:,} spans, OTLP JSON lines, median of {runs} runs"
    show(title, ("", "wall s (min-max)", "spans/s", "CPU us/span", "peak MB"), [rows])


def _row(name: str, one: Summary, spans: int) -> tuple[str, ...]:
    wall = f"{one.wall_s:.2f} ({one.fastest_s:.2f}-{one.slowest_s:.2f})"
    return name, wall, f"{spans / one.wall_s:,.0f}", f"{one.cpu_s / spans * 1e6:.1f}", _mb(one.peak_mb)


def main() -> None:
    """Generate the file, run both several times in turn, print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    spans = options.traces * SPANS_PER_TRACE
    with tempfile.TemporaryDirectory(prefix="tailbudget-bench-") as folder:
        file = Path(folder) / "traces.jsonl"
        size = write_traces(file, options.traces, seed=20251201)
        env = environment(Path(folder) / "modules")
        warm_up(Path(folder), env)
        print(f"{options.traces:,} traces, {size / 1e6:,.0f} MB", file=sys.stderr)
        ours: list[Measured] = []
        theirs: list[Measured] = []
        for number in range(options.runs):
            theirs.append(duckdb_once(file, spans, env))
            ours.append(import_once(file, Path(folder) / f"home-{number}", spans, env))
    print_table(summarise(ours), summarise(theirs), spans, options.runs)


def _mb(peak: float | None) -> str:
    return "not told" if peak is None else f"{peak:,.0f}"


if __name__ == "__main__":
    main()
