"""What a sync brings in, from an MLflow in memory: whole batches, once, whatever happens in between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from budget_model.errors import StoreBusyError
from budget_model.services import mlflow_batch, mlflow_scan
from budget_model.services.mlflow_report import SyncReport, SyncRequest, TraceCounts
from budget_model.services.mlflow_sync import sync_mlflow
from budget_model.settings import Settings
from budget_model.store.ledger import Ledger
from budget_model.store.lock import is_syncing, sync_lock
from budget_model.store.mlflow_catalog import MlflowCatalog, SeenTrace, Source, Standing, remember
from tests.services.homes import balanced, home, listed, requests_of, stored_spans
from tests.services.mlflow_fake import ADDRESS, START_MS, FakeMlflow, refuse, some, waiting

HOUR_MS = 3_600_000


@pytest.fixture
def at(tmp_path: Path) -> Settings:
    return home(tmp_path / "home")


@pytest.fixture
def server() -> FakeMlflow:
    return FakeMlflow()


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mlflow_batch, "MOST_TRACES", 20)
    monkeypatch.setattr(mlflow_scan, "HEADS_AT_ONCE", 10)


def sync(at: Settings, server: FakeMlflow, **asked: Any) -> SyncReport:
    named = {name: asked.pop(name) for name in ("cancel", "on_batch", "on_progress") if name in asked}
    return sync_mlflow(at, SyncRequest(ADDRESS, **asked), opened=server.open, **named)


def counts(report: SyncReport) -> dict[str, int]:
    """What is not zero."""
    found = {f.name: getattr(report.traces, f.name) for f in fields(TraceCounts)}
    return {name: count for name, count in found.items() if count}


def generation(at: Settings) -> int:
    ledger = Ledger(at)
    try:
        return ledger.generation()
    finally:
        ledger.close()


def source(at: Settings) -> Source:
    ledger = Ledger(at)
    try:
        return MlflowCatalog(ledger).sources()[0]
    finally:
        ledger.close()


def standing(at: Settings) -> Standing:
    ledger = Ledger(at)
    try:
        return MlflowCatalog(ledger).standing(1)
    finally:
        ledger.close()


def test_everything_comes_in_once_and_syncing_again_changes_nothing(at: Settings, server: FakeMlflow) -> None:
    server.put(*some(range(55)))
    first = sync(at, server)
    assert counts(first) == {"new": 55}
    assert (first.spans.records, first.spans.accepted, first.batches) == (220, 220, 3)
    assert requests_of(at).num_rows == 55
    before = generation(at)
    again = sync(at, server)
    assert counts(again) == {"unchanged": 55}
    assert (again.spans.records, generation(at)) == (0, before)
    assert first.lag_ms is not None
    assert first.lag_ms >= 0
    assert (source(at).state, source(at).last_error) == ("idle", "")


def test_a_late_trace_within_the_overlap_comes_in(at: Settings, server: FakeMlflow) -> None:
    server.put(*some(range(0, 40, 2), every_ms=60_000))
    sync(at, server)
    server.put(*some(range(31, 32), every_ms=60_000))
    assert counts(sync(at, server))["new"] == 1
    assert requests_of(at).num_rows == 21


def test_a_trace_from_before_the_overlap_comes_in_when_one_reaches_back(
    at: Settings, server: FakeMlflow
) -> None:
    server.put(*some(range(5, 10), every_ms=HOUR_MS))
    sync(at, server)
    server.put(*some(range(1), every_ms=HOUR_MS))
    assert "new" not in counts(sync(at, server))
    reached = sync(at, server, since_ms=START_MS)
    assert counts(reached) == {"new": 1, "unchanged": 5}
    assert requests_of(at).num_rows == 6


def test_what_began_before_the_overlap_is_not_read_again_unless_its_info_changed(
    at: Settings, server: FakeMlflow
) -> None:
    traces = some(range(5), every_ms=HOUR_MS)
    server.put(*traces)
    sync(at, server)
    server.read.clear()
    sync(at, server, since_ms=START_MS)
    assert server.read == [traces[3].trace_id, traces[4].trace_id]
    server.read.clear()
    traces[0].tags["tenant.id"] = "acme"
    assert counts(sync(at, server, since_ms=START_MS)) == {"updated": 1, "unchanged": 4}


def test_a_span_that_comes_late_replaces_the_earlier_reading(at: Settings, server: FakeMlflow) -> None:
    traces = some(range(3))
    server.put(*traces)
    sync(at, server)
    traces[1].spans = 5
    report = sync(at, server)
    assert counts(report) == {"updated": 1, "unchanged": 2}
    assert (requests_of(at).num_rows, stored_spans(at) >= 13) == (3, True)
    assert balanced(report.spans)
    assert counts(sync(at, server)) == {"unchanged": 3}


def test_a_trace_in_progress_waits_and_comes_in_when_it_is_done(at: Settings, server: FakeMlflow) -> None:
    slow = waiting(some(range(1))[0])
    server.put(slow, *some(range(10, 12), every_ms=HOUR_MS))
    assert counts(sync(at, server)) == {"new": 2, "waiting": 1}
    assert (standing(at).waiting, standing(at).waiting_since_ms) == (1, START_MS)
    before = generation(at)
    assert counts(sync(at, server)) == {"waiting": 1, "unchanged": 2}
    assert generation(at) == before
    slow.state = "OK"
    assert counts(sync(at, server)) == {"new": 1, "unchanged": 2}
    assert requests_of(at).num_rows == 3
    assert standing(at).waiting == 0


def test_a_deleted_trace_is_marked_and_stays_in_the_figures(at: Settings, server: FakeMlflow) -> None:
    traces = some(range(45))
    server.put(*traces, waiting(some(range(50, 51))[0]))
    sync(at, server)
    for gone in (0, 17, 44, 50):
        del server.traces[f"tr-{gone + 1:032x}"]
    assert counts(sync(at, server)) == {"deleted": 4, "unchanged": 42}
    assert (standing(at).deleted, standing(at).known) == (4, 42)
    assert requests_of(at).num_rows == 45
    assert counts(sync(at, server)) == {"unchanged": 42}
    ledger = Ledger(at)
    catalog = MlflowCatalog(ledger)
    assert catalog.deleted_us([traces[0].trace_id]) is not None
    assert catalog.deleted_us([traces[1].trace_id]) is None
    ledger.close()


def test_a_trace_deleted_long_ago_is_noticed_when_asked_for(at: Settings, server: FakeMlflow) -> None:
    traces = some(range(30), every_ms=HOUR_MS)
    server.put(*traces)
    sync(at, server)
    del server.traces[traces[2].trace_id]
    assert "deleted" not in counts(sync(at, server))
    assert counts(sync(at, server, check_deleted=True)) == {"deleted": 1, "unchanged": 2}
    assert "deleted" not in counts(sync(at, server, check_deleted=True))


def test_a_trace_that_is_there_again_is_known_again(at: Settings, server: FakeMlflow) -> None:
    traces = some(range(3))
    server.put(*traces)
    sync(at, server)
    del server.traces[traces[1].trace_id]
    sync(at, server)
    server.put(traces[1])
    assert counts(sync(at, server)) == {"unchanged": 3}
    assert standing(at).deleted == 0


def test_a_server_that_fails_leaves_whole_batches_and_the_next_sync_goes_on(
    at: Settings, server: FakeMlflow
) -> None:
    server.put(*some(range(100)))
    server.before_document = refuse(47)
    failed = sync(at, server)
    assert failed.error == f"{ADDRESS} answered 500 to a search for traces"
    assert (counts(failed), requests_of(at).num_rows) == ({"new": 40}, 40)
    assert (source(at).state, source(at).last_error, source(at).ok_us) == ("failed", failed.error, None)
    assert failed.lag_ms is None
    server.before_document = lambda number: None
    server.read.clear()
    done = sync(at, server)
    assert counts(done) == {"new": 60, "unchanged": 40}
    assert requests_of(at).num_rows == 100
    assert (source(at).state, source(at).last_error) == ("idle", "")


def test_a_server_that_fails_between_pages_does_the_same(at: Settings, server: FakeMlflow) -> None:
    server.page_size = 25
    server.put(*some(range(100)))
    server.before_page = refuse(2)
    assert (counts(sync(at, server)), requests_of(at).num_rows) == ({"new": 45}, 45)
    server.before_page = lambda number: None
    sync(at, server)
    assert requests_of(at).num_rows == 100


def test_a_crash_between_batches_leaves_whole_batches(
    at: Settings, server: FakeMlflow, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.put(*some(range(70)))
    written: list[int] = []

    def dying(session: Any, source: Source, traces: Sequence[SeenTrace]) -> None:
        remember(session, source, traces)
        written.append(len(traces))
        if len(written) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(mlflow_batch, "remember", dying)
    with pytest.raises(KeyboardInterrupt):
        sync(at, server)
    assert requests_of(at).num_rows == 40
    assert standing(at).known == 40
    assert source(at).state == "running"
    assert not is_syncing(at.home, 1)
    sync(at, server)
    assert (requests_of(at).num_rows, standing(at).known) == (70, 70)


def test_cancelling_keeps_the_batches_that_were_whole(at: Settings, server: FakeMlflow) -> None:
    server.put(*some(range(70)))
    cancel = Event()
    stopped = sync(at, server, cancel=cancel, on_batch=lambda batch: cancel.set())
    assert (stopped.stopped, stopped.error, counts(stopped)) == (True, "", {"new": 20})
    assert source(at).state == "stopped"
    assert counts(sync(at, server)) == {"new": 50, "unchanged": 20}


def test_a_trace_that_vanishes_between_telling_and_reading_is_left_out(
    at: Settings, server: FakeMlflow
) -> None:
    traces = some(range(5))
    server.put(*traces)

    def vanish(number: int) -> None:
        server.traces.pop(traces[3].trace_id, None)

    server.before_document = vanish
    assert counts(sync(at, server)) == {"new": 4}
    assert requests_of(at).num_rows == 4


def test_only_the_experiments_asked_for_come_in_and_others_begin_at_their_beginning(
    at: Settings, server: FakeMlflow
) -> None:
    server.put(*some(range(40, 45), every_ms=HOUR_MS))
    server.put(*some(range(5), every_ms=HOUR_MS, experiment_id="2"))
    assert counts(sync(at, server, experiments=("chat",))) == {"new": 5}
    assert counts(sync(at, server)) == {"new": 5, "unchanged": 2}
    assert requests_of(at).num_rows == 10


def test_an_experiment_that_is_not_there_is_named_with_those_that_are(
    at: Settings, server: FakeMlflow
) -> None:
    report = sync(at, server, experiments=("chta",))
    assert report.error == f"{ADDRESS} has no experiment 'chta'; it has 'chat', 'batch'"


def test_a_trace_from_the_future_does_not_hide_those_of_today(at: Settings, server: FakeMlflow) -> None:
    far = some(range(1))[0]
    far.start_ms = 4_000_000_000_000
    server.put(far)
    sync(at, server)
    assert max(source(at).watermarks.values()) < far.start_ms - HOUR_MS


def test_a_source_is_synced_by_one_process_at_a_time(at: Settings, server: FakeMlflow) -> None:
    sync(at, server)
    with sync_lock(at.home, 1):
        assert is_syncing(at.home, 1)
        with pytest.raises(StoreBusyError, match="is syncing this source"):
            sync(at, server)
    assert not is_syncing(at.home, 1)


def test_nothing_of_a_sync_is_left_in_the_home_but_what_was_imported(
    at: Settings, server: FakeMlflow
) -> None:
    server.put(*some(range(30)))
    server.before_document = refuse(25)
    sync(at, server)
    assert [name for name in listed(at.home) if name.startswith("sync-")] == ["sync-1.lock"]
    assert server.closed == 1


def test_the_password_in_an_address_is_nowhere_in_the_ledger(at: Settings, server: FakeMlflow) -> None:
    server.put(*some(range(3)))
    request = SyncRequest(
        "http://ann:s3cret@mlflow.example:5000/", direct="postgresql://ann:s3cret@db/mlflow"
    )
    report = sync_mlflow(at, request, opened=server.open)
    assert "s3cret" not in str(report.as_json())
    assert b"s3cret" not in (at.home / "ledger.db").read_bytes()
    assert (source(at).address, source(at).direct) == (ADDRESS, "postgresql://ann@db/mlflow")


def test_figures_do_not_depend_on_how_many_syncs_brought_them(tmp_path: Path) -> None:
    once, often = home(tmp_path / "once"), home(tmp_path / "often")
    server = FakeMlflow()
    for number in range(6):
        server.put(*some(range(number * 7, number * 7 + 7)))
        sync(often, server)
    sync(once, server)
    assert requests_of(once) == requests_of(often)


def test_a_batch_is_bounded_by_bytes_too(
    at: Settings, server: FakeMlflow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mlflow_batch, "MOST_BYTES", 10_000)
    server.put(*some(range(40)))
    seen: list[int] = []
    sync(at, server, on_batch=lambda batch: seen.append(batch.traces.new))
    assert seen == [10, 10, 10, 10]
    assert replace(source(at), counts={}).state == "idle"
