"""Lock, ledger, compaction and the collection of what no manifest names."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from budget_model.errors import Cancelled, StoreBusyError, StoreError
from budget_model.settings import Settings, load_settings
from budget_model.store import compaction
from budget_model.store.compaction import compact, live_rows
from budget_model.store.ledger import Ledger
from budget_model.store.lock import writer_lock
from budget_model.store.publish import Publication, publish, sweep
from budget_model.store.schema import SUPERSEDED, TOKEN_GAPS, Kind
from budget_model.store.segments import GRACE_US, SegmentWriter, Staged, stage

HOLDER = """
import sys, time
from pathlib import Path
from budget_model.store.lock import writer_lock
with writer_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def at(tmp_path: Path) -> Settings:
    return load_settings(tmp_path / "home", {})


def gaps(folder: Path, keys: list[int], gap_us: int) -> list[Staged]:
    writer = SegmentWriter(folder, Kind.TOKEN_GAPS, str(gap_us))
    columns = {
        "request_id": [str(key) for key in keys],
        "trace_key": keys,
        "gap_us": [gap_us] * len(keys),
        "tokens": [1] * len(keys),
    }
    writer.write(pa.table(columns, schema=TOKEN_GAPS))
    return writer.close()


def replaced(folder: Path, keys: list[int]) -> list[Staged]:
    writer = SegmentWriter(folder, Kind.SUPERSEDED, "keys")
    writer.write(pa.table({"trace_key": keys}, schema=SUPERSEDED))
    return writer.close()


def publish_gaps(ledger: Ledger, keys: list[int], gap_us: int, gone: list[int] | None = None) -> int:
    with stage(ledger.settings) as folder:
        return publish(
            ledger, Publication(added=gaps(folder, keys, gap_us) + replaced(folder, gone or [])), 0
        )


def live(ledger: Ledger) -> list[tuple[int, int]]:
    manifest = ledger.manifest()
    tables = live_rows(manifest.of(Kind.TOKEN_GAPS), manifest.of(Kind.SUPERSEDED))
    rows = [row for table in tables for row in table.to_pylist()]
    return sorted((row["trace_key"], row["gap_us"]) for row in rows)


def test_the_second_writer_waits_and_is_told_who_holds_the_lock(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        told: list[str] = []
        with pytest.raises(StoreBusyError, match=str(holder.pid)), writer_lock(tmp_path, wait=False):
            pass
        held = Event()

        def wait_for_it() -> None:
            with writer_lock(tmp_path, on_wait=told.append):
                held.set()

        thread = Thread(target=wait_for_it)
        thread.start()
        assert not held.wait(0.3)
        holder.kill()
        assert held.wait(20), "a dead holder blocks nobody"
        thread.join()
    assert told
    assert str(holder.pid) in told[0]


def test_waiting_for_the_lock_can_be_cancelled(tmp_path: Path) -> None:
    cancel = Event()
    cancel.set()
    with writer_lock(tmp_path), pytest.raises(Cancelled), writer_lock(tmp_path, cancel=cancel):
        pass


def test_a_generation_names_its_files_and_a_reader_gets_what_came_since(at: Settings) -> None:
    ledger = Ledger(at)
    assert (ledger.generation(), ledger.manifest().segments) == (0, ())
    first = publish_gaps(ledger, [1, 2], 10)
    second = publish_gaps(ledger, [2], 20, gone=[2])
    assert (first, second) == (1, 2)
    changes = ledger.changes(first)
    assert not changes.reload
    assert {ref.kind for ref in changes.segments} == {Kind.TOKEN_GAPS, Kind.SUPERSEDED}
    assert all(ref.generation == 2 for ref in changes.segments)
    assert live(ledger) == [(1, 10), (2, 20)]


def test_publishing_nothing_is_no_new_generation(at: Settings) -> None:
    ledger = Ledger(at)
    assert publish(ledger, Publication(), 0) == 0


def test_compaction_keeps_the_rows_that_count_and_the_old_files_for_their_readers(
    at: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "MOST_FILES", 3)
    ledger = Ledger(at)
    for number in range(4):
        publish_gaps(ledger, [1, 10 + number], number, gone=[1])
    before, old = live(ledger), ledger.manifest()
    with stage(at) as folder:
        merged, retired = compact(old, folder)
        publish(ledger, Publication(merged=merged, retired=retired), now_us=1000)
    assert live(ledger) == before
    assert [ref.rows for ref in ledger.manifest().segments] == [5]
    assert ledger.changes(old.generation).reload
    sweep(ledger, now_us=1000 + GRACE_US)
    assert all(ref.path.exists() for ref in old.segments)
    sweep(ledger, now_us=1001 + GRACE_US)
    assert not any(ref.path.exists() for ref in old.segments)
    assert live(ledger) == before


def test_few_files_are_left_alone(at: Settings) -> None:
    ledger = Ledger(at)
    publish_gaps(ledger, [1], 1)
    with stage(at) as folder:
        assert compact(ledger.manifest(), folder) == ([], [])


def test_what_no_manifest_names_is_collected_by_the_next_writer(at: Settings) -> None:
    ledger = Ledger(at)
    publish_gaps(ledger, [1], 1)
    (at.segments_dir / ".stage-dead").mkdir()
    (at.segments_dir / "token_gaps-dead.parquet").write_bytes(b"")
    assert sweep(ledger, 0) == [".stage-dead", "token_gaps-dead.parquet"]
    assert len(list(at.segments_dir.iterdir())) == 1
    assert live(ledger) == [(1, 1)]


def test_a_transaction_that_fails_makes_nothing_visible(at: Settings) -> None:
    ledger = Ledger(at)

    def fail(_session: object) -> None:
        raise RuntimeError("power cut")

    with stage(at) as folder, pytest.raises(RuntimeError):
        publish(ledger, Publication(added=gaps(folder, [1], 1), also=fail), 0)
    assert ledger.manifest().segments == ()
    assert ledger.generation() == 0


def test_segments_are_compressed_and_checksummed(at: Settings) -> None:
    with stage(at) as folder:
        (staged,) = gaps(folder, [1], 1)
        column = pq.ParquetFile(staged.path).metadata.row_group(0).column(1)
    assert column.compression == "ZSTD"


def test_a_disk_that_takes_no_more_is_one_sentence_naming_the_place(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, limits[1]))
    try:
        with pytest.raises(StoreError, match="cannot be written to: File too large"):
            gaps(tmp_path, [1, 2, 3], 10)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
