"""Runs of load tests for tests, and what a home keeps of them."""

from __future__ import annotations

from typing import Any

from budget_model.records.mlflow import Run
from budget_model.services.run_points import RunList, run_points
from budget_model.settings import Settings
from budget_model.store.ledger import Ledger

START_MS = 1_796_083_200_000


def run(number: int = 1, **changes: Any) -> Run:
    """A run of a minute in experiment 1 with a few figures."""
    values: dict[str, Any] = {
        "run_id": f"{number:032x}",
        "experiment_id": "1",
        "name": f"c{number}",
        "status": "FINISHED",
        "lifecycle": "active",
        "start_ms": START_MS + number * 1000,
        "end_ms": START_MS + number * 1000 + 60_000,
        "metrics": {"p99_ttft_ms": 100.0 + number, "p99_itl_ms": 12.5, "request_throughput": 4.0},
        "params": {"model": "m", "max_concurrency": str(number), "max_num_batched_tokens": "2048"},
        "tags": {},
    }
    return Run(**(values | changes))


def listed(settings: Settings) -> RunList:
    """Every run of a home."""
    ledger = Ledger(settings)
    try:
        return run_points(ledger)
    finally:
        ledger.close()
