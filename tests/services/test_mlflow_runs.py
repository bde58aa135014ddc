"""Runs that a sync brings, from an MLflow in memory: once, replaced when changed, marked when gone."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import pytest

from budget_model.errors import RemoteError, StoreError
from budget_model.records.mlflow import Run
from budget_model.services.mlflow_report import SyncReport, SyncRequest
from budget_model.services.mlflow_sources import connections, forget
from budget_model.services.mlflow_sync import sync_mlflow
from budget_model.services.run_files import import_runs
from budget_model.settings import Settings
from budget_model.store.ledger import Ledger
from tests.services.homes import home
from tests.services.mlflow_fake import ADDRESS, FakeMlflow, FakeStore
from tests.services.runs import listed, run


@pytest.fixture
def at(tmp_path: Path) -> Settings:
    return home(tmp_path / "home")


@pytest.fixture
def server() -> FakeMlflow:
    found = FakeMlflow(page_size=2)
    put(found, *map(run, range(1, 6)))
    return found


def put(server: FakeMlflow, *runs: Run) -> None:
    server.runs.update((one.run_id, one) for one in runs)


def changed(one: Run, **changes: object) -> Run:
    return msgspec.structs.replace(one, **changes)


def sync(at: Settings, server: FakeMlflow, *, runs: bool = True) -> SyncReport:
    return sync_mlflow(at, SyncRequest(ADDRESS, runs=runs), opened=server.open)


def counts(report: SyncReport) -> dict[str, int]:
    """What is not zero, once it is sure that the counts add up."""
    found = {name.removeprefix("runs_"): count for name, count in report.extras.items() if count}
    parts = (found.get(name, 0) for name in ("accepted", "rejected", "duplicates"))
    assert sum(parts) == found.get("read", 0)
    return found


def test_importing_again_changes_nothing(at: Settings, server: FakeMlflow) -> None:
    assert counts(sync(at, server)) == {"read": 5, "accepted": 5}
    before = listed(at)
    assert counts(sync(at, server)) == {"read": 5, "duplicates": 5}
    assert listed(at) == before
    assert [one.run.name for one in before.points] == ["c5", "c4", "c3", "c2", "c1"]


def test_a_changed_run_replaces_what_was_known(at: Settings, server: FakeMlflow) -> None:
    sync(at, server)
    put(server, run(3, metrics={"p99_ttft_ms": 7.0}))
    assert counts(sync(at, server)) == {"read": 5, "accepted": 1, "updated": 1, "duplicates": 4}
    assert [one.run.measured for one in listed(at).points if one.run.name == "c3"] == [{"ttft_p99_ms": 7.0}]


def test_a_run_in_progress_is_marked_until_it_ends(at: Settings, server: FakeMlflow) -> None:
    put(server, run(6, status="RUNNING", end_ms=None, metrics={}))
    assert counts(sync(at, server)) == {"read": 6, "accepted": 6, "in_progress": 1}
    assert (listed(at).in_progress, listed(at).points[0].run.state) == (1, "in progress")
    put(server, run(6))
    assert counts(sync(at, server)) == {"read": 6, "accepted": 1, "updated": 1, "duplicates": 5}
    assert (listed(at).in_progress, listed(at).points[0].run.state) == (0, "known")


def test_deleted_runs_are_marked_once_and_may_come_back(at: Settings, server: FakeMlflow) -> None:
    sync(at, server)
    put(server, changed(run(1), lifecycle="deleted"))
    del server.runs[run(2).run_id]
    assert counts(sync(at, server))["deleted"] == 2
    found = listed(at)
    assert (len(found.points), found.deleted) == (3, 2)
    assert counts(sync(at, server)) == {"read": 4, "duplicates": 4}
    put(server, run(1), run(2))
    sync(at, server)
    assert (len(listed(at).points), listed(at).deleted) == (5, 0)


def test_nested_runs_are_kept_with_their_parent(at: Settings, server: FakeMlflow) -> None:
    parent = run(9, name="ramp", metrics={"p99_ttft_ms": 1.0})
    put(server, parent, run(6, tags={"mlflow.parentRunId": parent.run_id}))
    sync(at, server)
    [stage] = [one for one in listed(at).points if one.kind == "stage"]
    assert (stage.run.name, stage.parent, stage.run.parent_id) == ("c6", "ramp", parent.run_id)


def test_what_is_not_finite_is_counted_and_missing_and_never_zero(at: Settings, server: FakeMlflow) -> None:
    put(server, run(1, metrics={"p99_ttft_ms": math.nan, "p99_e2el_ms": math.inf, "p99_itl_ms": 2.0}))
    assert counts(sync(at, server))["run_metrics_not_finite"] == 2
    found = listed(at)
    assert (found.not_finite, found.missing["ttft_p99_ms"]) == (2, 1)
    assert found.points[-1].value("ttft_p99_ms") is None


def test_refused_runs_are_listed_with_the_reason(at: Settings, server: FakeMlflow) -> None:
    put(server, run(1, metrics={"loss": 0.1}))
    assert counts(sync(at, server)) == {"read": 5, "accepted": 4, "rejected": 1}
    assert counts(sync(at, server)) == {"read": 5, "rejected": 1, "duplicates": 4}
    [refused] = listed(at).rejected
    assert refused.run.reason == "no metric of the run has a name that is known here"
    assert refused.page == f"{ADDRESS}/#/experiments/1/runs/{run(1).run_id}"


def test_a_source_that_breaks_off_keeps_whole_pages_and_marks_nothing_deleted(
    at: Settings, server: FakeMlflow, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync(at, server)
    whole = FakeStore.runs

    def broken(self: FakeStore, experiment_ids: list[str]) -> object:
        yield next(whole(self, experiment_ids))
        raise RemoteError(f"{ADDRESS} stopped answering")

    monkeypatch.setattr(FakeStore, "runs", broken)
    report = sync(at, server)
    assert (report.error, counts(report)) == (f"{ADDRESS} stopped answering", {"read": 2, "duplicates": 2})
    assert (len(listed(at).points), listed(at).deleted) == (5, 0)


def test_runs_can_be_left_out(at: Settings, server: FakeMlflow) -> None:
    assert sync(at, server, runs=False).extras == {}
    assert listed(at).points == ()


def test_a_file_does_not_change_what_came_from_a_server(
    at: Settings, server: FakeMlflow, tmp_path: Path
) -> None:
    sync(at, server)
    path = tmp_path / "old.csv"
    path.write_text(f"run_id,experiment_id,status,metrics.p99_ttft_ms\n{run(1).run_id},1,FINISHED,5\n")
    assert import_runs(at, path).counts.duplicates == 1
    assert listed(at).points[-1].value("ttft_p99_ms") == 101


def test_a_run_known_from_a_file_gets_its_page_from_the_server(
    at: Settings, server: FakeMlflow, tmp_path: Path
) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(f"run_id,experiment_id,status,metrics.p99_ttft_ms\n{run(1).run_id},1,FINISHED,5\n")
    import_runs(at, path)
    assert [one.page for one in listed(at).points] == [None]
    sync(at, server)
    assert listed(at).points[-1].page == f"{ADDRESS}/#/experiments/1/runs/{run(1).run_id}"


def test_runs_of_an_experiment_that_is_gone_are_gone(at: Settings, server: FakeMlflow) -> None:
    put(server, run(7, experiment_id="2"))
    sync(at, server)
    del server.names["2"]
    assert counts(sync(at, server)) == {"read": 5, "duplicates": 5, "deleted": 1}


def test_runs_of_experiments_that_were_not_asked_for_are_left_as_they_are(
    at: Settings, server: FakeMlflow
) -> None:
    put(server, run(7, experiment_id="2"))
    sync(at, server)
    server.runs.clear()
    request = SyncRequest(ADDRESS, ("2",))
    assert sync_mlflow(at, request, opened=server.open).extras["runs_deleted"] == 1
    assert len(listed(at).points) == 5


def test_a_source_of_which_runs_are_listed_is_not_removed(at: Settings, server: FakeMlflow) -> None:
    report = sync(at, server)
    ledger = Ledger(at)
    try:
        assert [one.runs for one in connections(at, ledger, 0)] == [5]
        with pytest.raises(StoreError, match="runs of this source are listed"):
            forget(ledger, report.source_id)
    finally:
        ledger.close()
