"""A small request log whose figures are known in advance."""

from __future__ import annotations

from pathlib import Path

HEADER = "request_id,start_time,workload,tenant,e2e_ms,gateway_ms,queue_ms,prefill_ms,decode_ms"


def write_log(path: Path, tenant: str, requests: int, first: int = 0) -> Path:
    """``requests`` rows, one a minute, 1 ms longer each; ids from ``first`` on."""
    rows = [HEADER]
    for number in range(first, first + requests):
        at = f"2026-11-{1 + number // 1440:02d}T{number // 60 % 24:02d}:{number % 60:02d}:00Z"
        rows.append(f"{tenant}-{number},{at},chat,{tenant},{1000 + number},10,{40 + number},300,650")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path
