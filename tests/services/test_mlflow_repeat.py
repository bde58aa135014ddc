from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from budget_model.errors import SettingsError
from budget_model.services.clock import now_us
from budget_model.services.mlflow_repeat import keep_syncing
from budget_model.services.mlflow_report import SyncReport, SyncRequest
from budget_model.services.mlflow_sources import Connection, connections
from budget_model.services.mlflow_sync import sync_mlflow
from budget_model.settings import Settings
from budget_model.store.ledger import Ledger
from budget_model.store.lock import sync_lock
from tests.services.homes import home, requests_of
from tests.services.mlflow_fake import ADDRESS, FakeMlflow, refuse, some


@pytest.fixture
def at(tmp_path: Path) -> Settings:
    return home(tmp_path / "home")


@pytest.fixture
def server() -> FakeMlflow:
    return FakeMlflow()


def shown(at: Settings, now: int | None = None) -> Connection:
    ledger = Ledger(at)
    try:
        (one,) = connections(at, ledger, now_us() if now is None else now)
        return one
    finally:
        ledger.close()


def repeat(
    at: Settings, server: FakeMlflow, times: int, between: Callable[[int, SyncReport], None]
) -> tuple[list[SyncReport], list[str]]:
    """Sync ``times`` times; ``between`` is called after each with its number and report."""
    stop, reports, problems = Event(), list[SyncReport](), list[str]()
    request = SyncRequest(ADDRESS, interval_ms=1)

    def once() -> SyncReport:
        return sync_mlflow(at, request, cancel=stop, opened=server.open)

    def note(report: SyncReport) -> None:
        reports.append(report)
        between(len(reports), report)
        if len(reports) == times:
            stop.set()

    keep_syncing(at, request, once, stop=stop, on_report=note, on_problem=problems.append)
    return reports, problems


def test_each_turn_brings_what_came_since(at: Settings, server: FakeMlflow) -> None:
    server.put(*some(range(3)))
    reports, _ = repeat(at, server, 3, lambda turn, _: server.put(*some(range(3 * turn, 3 * turn + 3))))
    assert [report.traces.new for report in reports] == [3, 3, 3]
    assert requests_of(at).num_rows == 9


def test_an_error_is_recorded_and_the_next_turn_tries_again(at: Settings, server: FakeMlflow) -> None:
    server.put(*some(range(3)))
    seen: list[Connection] = []

    def between(turn: int, _: SyncReport) -> None:
        seen.append(shown(at))
        server.before_page = refuse(0) if turn == 1 else lambda number: None

    reports, problems = repeat(at, server, 3, between)
    assert [bool(report.error) for report in reports] == [False, True, False]
    assert [one.state for one in seen] == ["idle", "failed", "idle"]
    assert [bool(one.source.last_error) for one in seen] == [False, True, False]
    assert problems == []


def test_the_lag_grows_while_the_source_fails(at: Settings, server: FakeMlflow) -> None:
    def between(turn: int, _: SyncReport) -> None:
        server.before_page = refuse(0)

    server.put(*some(range(3)))
    whole, failed = repeat(at, server, 2, between)[0]
    assert whole.lag_ms is not None
    assert failed.lag_ms is not None
    assert failed.lag_ms >= whole.lag_ms
    later = shown(at, now_us() + 60_000_000)
    assert later.lag_ms is not None
    assert later.lag_ms >= 60_000


def test_while_it_is_repeated_the_source_says_how_often_and_afterwards_no_more(
    at: Settings, server: FakeMlflow
) -> None:
    during: list[int | None] = []
    repeat(at, server, 2, lambda turn, _: during.append(shown(at).source.interval_ms))
    assert during == [1, 1]
    assert shown(at).source.interval_ms is None


def test_a_repeated_sync_that_died_is_overdue_after_some_turns(at: Settings, server: FakeMlflow) -> None:
    sync_mlflow(at, SyncRequest(ADDRESS, interval_ms=60_000), opened=server.open)
    assert not shown(at, now_us() + 100_000_000).is_overdue
    assert shown(at, now_us() + 200_000_000).is_overdue


def test_a_source_that_another_process_syncs_is_left_to_it_and_tried_again(
    at: Settings, server: FakeMlflow
) -> None:
    sync_mlflow(at, SyncRequest(ADDRESS), opened=server.open)
    stop, said = Event(), list[str]()

    def note(words: str) -> None:
        said.append(words)
        stop.set()

    request = SyncRequest(ADDRESS, interval_ms=1)
    with sync_lock(at.home, 1):
        keep_syncing(
            at,
            request,
            lambda: sync_mlflow(at, request, opened=server.open),
            stop=stop,
            on_report=lambda report: None,
            on_problem=note,
        )
        assert shown(at).state == "running"
    assert "is syncing this source" in said[0]


def test_an_option_that_cannot_be_used_ends_it(at: Settings, server: FakeMlflow) -> None:
    def refused() -> SyncReport:
        raise SettingsError("no")

    with pytest.raises(SettingsError):
        keep_syncing(
            at,
            SyncRequest(ADDRESS, interval_ms=1),
            refused,
            stop=Event(),
            on_report=lambda report: None,
            on_problem=lambda words: None,
        )
