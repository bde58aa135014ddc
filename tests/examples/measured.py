"""What the example measured of its own requests, with its own stopwatch."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Measured:
    """One answered request: milliseconds a hop, and its trace's id in each tracing library."""

    trace_ids: dict[str, str]
    hops_ms: dict[str, float]
    e2e_ms: float
    ttft_ms: float


def read_records(client: Path, server: Path) -> list[Measured]:
    """Requests in the order in which the client finished them."""
    own = {one["request_id"]: one for one in _lines(server)}
    return [_joined(one, own[one["request_id"]]) for one in _lines(client)]


def _lines(path: Path) -> Iterable[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _joined(client: dict, server: dict) -> Measured:  # type: ignore[type-arg]
    assert client["trace_ids"] == server["trace_ids"]
    exchange_ns = client["laps_ns"]["exchange"]
    hops_ns = {
        **server["laps_ns"],
        "client": client["laps_ns"]["client"],
        "network": exchange_ns - (server["end_ns"] - server["start_ns"]),
    }
    return Measured(
        client["trace_ids"],
        {hop: ns / 1e6 for hop, ns in hops_ns.items()},
        (client["end_ns"] - client["start_ns"]) / 1e6,
        (server["first_token_ns"] - client["start_ns"]) / 1e6,
    )
