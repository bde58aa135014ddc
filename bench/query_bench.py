"""Everything the Hops page shows after a filter change, beside the same figures in plain DuckDB SQL.

Both read the same rows of the same in-memory DuckDB in the same run. Ours adds intervals, effective
sizes and grades. Every round starts from a filter not seen before: nothing is remembered.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench import hops_sql
from bench.request_table import write_requests
from bench.table import show
from budget_model.queries.engine import Engine, Limits
from budget_model.queries.filters import Filter
from budget_model.services.figures import Figures
from budget_model.settings import DEFAULT_BUCKET_EDGES

THREADS = 2
AIM_MS = 300

CASES: dict[str, tuple[Filter, str]] = {
    "no filter": (Filter(), "load_test IS NULL"),
    "10 % (one workload)": (Filter(workload=("code",)), "load_test IS NULL AND workload = 'code'"),
    "one tenant (1 %)": (Filter(tenant=("tenant-7",)), "load_test IS NULL AND tenant = 'tenant-7'"),
}

OURS: dict[str, Callable[[Figures, Filter], object]] = {
    "percentile table": lambda f, chosen: f.percentiles(chosen, hops_sql.METRICS, (0.5, 0.95, 0.99)),
    "waterfall p99": lambda f, chosen: f.waterfall(chosen, 0.99),
    "difference p50 to p99": lambda f, chosen: f.difference(chosen, 0.5, 0.99),
    "trend of e2e": lambda f, chosen: f.series(chosen, "e2e"),
    "segment tables (4)": lambda f, chosen: [
        f.segments(chosen, d, 0.99) for d in hops_sql.SEGMENT_DIMENSIONS
    ],
    "heat map by tenant": lambda f, chosen: f.heat_map(chosen, hops_sql.HEAT_DIMENSION, 0.99),
}


def timed_ms(work: Callable[[], object]) -> float:
    """Wall milliseconds of one call."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def unseen(chosen: Filter, round_number: int) -> Filter:
    """The same rows under a filter that no answer is kept for."""
    return chosen.with_times(round_number, None)


def measure(engine: Engine, rounds: int) -> dict[str, dict[str, tuple[float, float]]]:
    """Median milliseconds, ours and DuckDB's, by case and figure."""
    figures, table = Figures(engine), engine.table()
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for case, (chosen, condition) in CASES.items():
        ours: dict[str, list[float]] = {name: [] for name in OURS}
        theirs: dict[str, list[float]] = {name: [] for name in OURS}
        for i in range(rounds):
            fresh = unseen(chosen, i)
            for name, ask in OURS.items():
                ours[name].append(timed_ms(lambda ask=ask, fresh=fresh: ask(figures, fresh)))  # type: ignore[misc]
            with table.connection.cursor() as con:
                for name, query in hops_sql.FIGURES.items():
                    theirs[name].append(timed_ms(lambda q=query, c=condition: q(con, table.name, c)))  # type: ignore[misc]
        found[case] = {
            name: (statistics.median(ours[name]), statistics.median(theirs[name])) for name in OURS
        }
    return found


def print_table(found: dict[str, dict[str, tuple[float, float]]], n: int, rounds: int, load_s: float) -> None:
    """A row for each figure and one for all of them."""
    title = f"Hops after a filter change: {n:,} requests, {THREADS} threads, median ms of {rounds} rounds"
    caption = f"loading the segment took {load_s:.1f} s; aim: total under {AIM_MS} ms"
    columns = ("filter", "figure", "tailbudget", "DuckDB SQL", "ratio")
    show(title, columns, [_rows(case, figures) for case, figures in found.items()], words=2, caption=caption)


def _rows(case: str, figures: dict[str, tuple[float, float]]) -> list[tuple[str, ...]]:
    total = (sum(ours for ours, _ in figures.values()), sum(theirs for _, theirs in figures.values()))
    return [
        (case, name, f"{ours:.1f}", f"{theirs:.1f}", f"{theirs / ours:.1f} x")
        for name, (ours, theirs) in (*figures.items(), ("all figures", total))
    ]


def main() -> None:
    """Make the table, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        catalog = write_requests(Path(folder), options.requests)
        engine = Engine(catalog, Limits(Path(folder), THREADS, 4096, DEFAULT_BUCKET_EDGES))
        load_s = timed_ms(engine.table) / 1000
        print_table(measure(engine, options.rounds), options.requests, options.rounds, load_s)


if __name__ == "__main__":
    main()
