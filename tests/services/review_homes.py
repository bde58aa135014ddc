"""Homes for the weekly review: a request log over days, and a budget that two people approved."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from budget_model.domain.budget import Assumptions, BudgetContent, BudgetState, Evidence, SegmentValues
from budget_model.domain.budget_lines import HEADROOM, Line
from budget_model.services.importing import import_files
from budget_model.services.workspace import Workspace
from budget_model.settings import Settings
from budget_model.store.budget_catalog import BudgetCatalog, By

MONDAY = datetime(2026, 11, 30, tzinfo=UTC)
MONDAY_US = 1_795_996_800_000_000
NOW_US = MONDAY_US + 8 * 86_400_000_000
DERIVED_US = MONDAY_US - 3 * 86_400_000_000


@dataclass(frozen=True, slots=True)
class Request:
    """One line of a request log: seconds after Monday, 0:00 UTC, and two hops; None is not recorded."""

    at_s: float
    prefill_ms: float | None
    decode_ms: float | None
    failed: bool = False


def day(number: int, n: int, *, late: int = 0, failed: int = 0, decode_ms: float = 200) -> list[Request]:
    """``n`` requests of a day (0: Monday, negative: the week before), a minute apart; slow is 900 ms."""
    start = number * 86_400
    slow = [Request(start + 60 * i, 100, 800) for i in range(late)]
    broken = [Request(start + 60 * i, 1, 1, failed=True) for i in range(late, late + failed)]
    return [*slow, *broken, *(Request(start + 60 * i, 100, decode_ms) for i in range(late + failed, n))]


def import_requests(settings: Settings, folder: Path, requests: Sequence[Request], first: int = 0) -> None:
    """Import them through the real import; they are numbered from ``first`` on."""
    file = folder / "requests.jsonl"
    file.write_text("\n".join(json.dumps(_row(i, one)) for i, one in enumerate(requests, first)) + "\n")
    assert import_files(settings, [file]).failures == ()


def _row(number: int, one: Request) -> dict[str, object]:
    times = {"prefill_ms": one.prefill_ms, "decode_ms": one.decode_ms}
    known = {name: value for name, value in times.items() if value is not None}
    return {
        "request_id": f"r{number}",
        "start_time": (MONDAY + timedelta(seconds=one.at_s)).isoformat(),
        "workload": "chat",
        "e2e_ms": sum(known.values()),
        "outcome": "failed" if one.failed else "ok",
        **known,
    }


def approve(
    workspace: Workspace,
    name: str = "chat",
    *,
    target_ms: int = 500,
    q: float = 0.9,
    segment: SegmentValues = (),
    at_us: int = DERIVED_US,
) -> None:
    """Save a budget of prefill 150 ms, the rest for decode, and have it approved."""
    catalog = BudgetCatalog(workspace.ledger)
    rest = target_ms - 150
    lines = (
        Line(HEADROOM, 0, 0, "headroom"),
        Line("prefill", 150_000, 150, "compute"),
        Line("decode", rest * 1000, rest, "compute"),
    )
    content = BudgetContent(
        segment=segment,
        target_us=target_ms * 1000,
        q=q,
        headroom=0.0,
        strategy="euler",
        lines=lines,
        guard_limits_us={"prefill": 150_000.0, "decode": rest * 1000.0},
        tokens=(),
        evidence=Evidence(1000, 0, None, None, target_ms * 1000, at_us),
        assumptions=Assumptions((), (), (), workspace.ledger.rules_fingerprint() or ""),
    )
    version = catalog.save_draft(name, content, By("ann", at_us, "a start"), 0).version
    catalog.move(name, version, BudgetState.PROPOSED, By("ann", at_us, ""))
    catalog.move(name, version, BudgetState.APPROVED, By("bob", at_us, ""))


def h02_requests(file: Path) -> Iterable[Request]:
    """The ten requests of a load test's file, its seconds as milliseconds, put on the Tuesday."""
    told = json.loads(file.read_text())
    for i, (ttft, gaps, error) in enumerate(zip(told["ttfts"], told["itls"], told["errors"], strict=True)):
        yield Request(86_400 + i, round(1000 * ttft, 3), round(1000 * sum(gaps), 3), failed=bool(error))
