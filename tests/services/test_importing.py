"""Importing: whole or not at all, the same content once, whatever the order and the splitting."""

from __future__ import annotations

import gzip
import os
import random
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budget_model.errors import Cancelled, FilterError, MappingError, SourceError, StoreError
from budget_model.services import file_import, staging
from budget_model.services.import_report import Progress
from budget_model.services.importing import import_files
from budget_model.settings import Settings
from budget_model.store.ledger import Ledger
from tests.services.homes import balanced, home, listed, requests_of, span, stored_spans, traces, write

DATA = Path(__file__).parent.parent / "data" / "otlp_json"


def test_a_repeated_span_is_counted_once_and_a_conflicting_one_is_named(tmp_path: Path) -> None:
    report = import_files(home(tmp_path), [DATA / "exported_again.otlp.jsonl"])
    counts = report.totals
    assert (counts.records, counts.accepted, counts.duplicates, counts.requests) == (5, 3, 2, 1)
    assert [(one.code, one.count) for one in report.files[0].warnings] == [("conflicting-span", 1)]
    assert "1212121212121212" in report.files[0].warnings[0].example
    assert requests_of(home(tmp_path)).column("e2e_us").to_pylist() == [800_000]


def test_the_same_file_again_renamed_or_compressed_adds_nothing(tmp_path: Path) -> None:
    at = home(tmp_path / "home")
    source = DATA / "exported_again.otlp.jsonl"
    import_files(at, [source])
    before, generation = requests_of(at), Ledger(at).generation()
    copy, packed = tmp_path / "copy.txt", tmp_path / "copy.gz"
    copy.write_bytes(source.read_bytes())
    packed.write_bytes(gzip.compress(source.read_bytes()))
    report = import_files(at, [source, copy, packed])
    assert [file.counts.already_known for file in report.files] == [5, 5, 5]
    assert (report.totals.accepted, report.totals.spans, report.totals.requests) == (0, 0, 0)
    assert requests_of(at).equals(before)
    assert Ledger(at).generation() == generation


def test_records_known_from_another_file_are_recognised_one_by_one(tmp_path: Path) -> None:
    at = home(tmp_path / "home")
    source = DATA / "exported_again.otlp.jsonl"
    import_files(at, [source])
    longer = tmp_path / "longer.jsonl"
    longer.write_bytes(source.read_bytes() + write(tmp_path / "more", traces([1])).read_bytes())
    counts = import_files(at, [longer]).totals
    assert (counts.records, counts.already_known, counts.accepted) == (9, 5, 4)
    assert counts.requests == 1


def test_a_late_span_changes_the_request_it_belongs_to(tmp_path: Path) -> None:
    at = home(tmp_path / "home")
    import_files(at, [write(tmp_path / "a", [span(0, 0), span(0, 1)])])
    assert requests_of(at).column("path_decode_us").to_pylist() == [None]
    counts = import_files(at, [write(tmp_path / "b", [span(0, 2), span(0, 3)])]).totals
    assert (counts.accepted, counts.requests) == (2, 1)
    rows = requests_of(at)
    assert rows.column("path_decode_us").to_pylist() == [60_000]
    assert rows.column("span_count").to_pylist() == [4]


def test_a_conflict_across_files_is_decided_by_content_not_by_order(tmp_path: Path) -> None:
    first = write(tmp_path / "a", traces([0]))
    other = write(tmp_path / "b", [span(0, 3, name="decode", status={"code": 2})])
    one, two = home(tmp_path / "one"), home(tmp_path / "two")
    report = import_files(one, [first, other])
    import_files(two, [other, first])
    assert report.files[1].counts.duplicates == 1
    assert report.files[1].warnings[0].code == "conflicting-span"
    assert requests_of(one).equals(requests_of(two))


@pytest.mark.parametrize("workers", [1, 2])
def test_parts_and_workers_do_not_change_the_requests(
    tmp_path: Path, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    spans = traces(range(3000))
    random.Random(5).shuffle(spans)
    path = write(tmp_path / "shuffled", spans)
    together, apart = home(tmp_path / "together"), home(tmp_path / "apart", workers)
    counts = import_files(together, [path]).totals
    monkeypatch.setattr(file_import, "SMALL_BYTES", 0)
    again = import_files(apart, [path]).totals
    assert counts == again
    assert counts.accepted == 12_000
    assert requests_of(together).equals(requests_of(apart))


def test_splitting_and_order_of_files_do_not_change_the_requests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spans = [*traces(range(40)), *traces([3, 4]), span(5, 3, name="decode", status={"code": 2})]
    whole = home(tmp_path / "whole")
    totals = import_files(whole, [write(tmp_path / "all", spans)]).totals
    monkeypatch.setattr(staging, "BATCH_RECORDS", 7)
    generator = random.Random(11)
    for trial in range(3):
        generator.shuffle(spans)
        cuts = sorted(generator.sample(range(1, len(spans)), 3))
        pieces = [spans[a:b] for a, b in zip([0, *cuts], [*cuts, len(spans)], strict=True)]
        paths = [write(tmp_path / f"{trial}-{n}", piece) for n, piece in enumerate(pieces)]
        at = home(tmp_path / f"home-{trial}")
        counts = import_files(at, paths).totals
        assert requests_of(at).equals(requests_of(whole))
        assert counts.accepted == totals.accepted
        assert balanced(counts)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.booleans()), min_size=1, max_size=25),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.booleans()), min_size=1, max_size=25),
)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_record_is_accounted_for(
    tmp_path_factory: pytest.TempPathFactory, first: list[Any], second: list[Any]
) -> None:
    folder = tmp_path_factory.mktemp("accounts")
    at = home(folder / "home")
    files = [_written(folder / name, made) for name, made in (("a", first), ("b", second))]
    report = import_files(at, files)
    assert all(balanced(file.counts) for file in report.files)
    assert report.totals.accepted == len({(trace, place) for trace, place, _ in [*first, *second]})
    assert stored_spans(at) == len(set(first) | set(second))


def _written(path: Path, made: list[tuple[int, int, bool]]) -> Path:
    spans = [span(t, p, **({"status": {"code": 2}} if failed else {})) for t, p, failed in made]
    return write(path, [*spans, span(0, 0, traceId="nonsense")])


def test_rows_of_a_request_log_are_known_again_and_conflicts_go_to_the_later_end(tmp_path: Path) -> None:
    head = "request_id,start_time,e2e_ms,tenant\n"
    rows = [f"r{n},2026-12-01T00:00:0{n}Z,{100 + n},acme\n" for n in range(5)]
    (tmp_path / "a.csv").write_text(head + "".join(rows))
    (tmp_path / "b.csv").write_text(head + "".join(rows[:2]) + "r2,2026-12-01T00:00:02Z,900,acme\n")
    one, two = home(tmp_path / "one"), home(tmp_path / "two")
    report = import_files(one, [tmp_path / "a.csv", tmp_path / "b.csv"])
    import_files(two, [tmp_path / "b.csv", tmp_path / "a.csv"])
    counts = report.files[1].counts
    assert (counts.records, counts.already_known, counts.duplicates, counts.requests) == (3, 2, 1, 1)
    assert "conflicting-request" in {one.code for one in report.files[1].warnings}
    assert requests_of(one).column("e2e_us").to_pylist() == [100_000, 101_000, 900_000, 103_000, 104_000]
    assert requests_of(one).equals(requests_of(two))


@pytest.mark.parametrize("content", [b"", b"null", b"123", b"[]", b"{}", b"\x00" * 5000])
def test_a_file_of_nothing_is_one_clear_sentence_and_harms_no_other(tmp_path: Path, content: bytes) -> None:
    at = home(tmp_path / "home")
    bad, good = tmp_path / "bad", write(tmp_path / "good", traces([0]))
    bad.write_bytes(content)
    report = import_files(at, [bad, good])
    assert [Path(one.path).name for one in report.failures] == ["bad"]
    assert str(report.failures[0].error).startswith("bad: ")
    assert "\n" not in str(report.failures[0].error)
    assert report.totals.accepted == 4
    assert listed(at.segments_dir) != []
    assert not [name for name in listed(at.segments_dir) if name.startswith(".")]


def test_a_file_cut_short_leaves_nothing(tmp_path: Path) -> None:
    at = home(tmp_path / "home")
    packed = gzip.compress(write(tmp_path / "good", traces(range(300))).read_bytes())
    (tmp_path / "half.gz").write_bytes(packed[: len(packed) // 2])
    report = import_files(at, [tmp_path / "half.gz"])
    assert isinstance(report.failures[0].error, SourceError)
    assert requests_of(at).num_rows == 0
    assert listed(at.segments_dir) == []


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    report = import_files(home(tmp_path), [tmp_path / "nowhere.jsonl"])
    assert "nowhere.jsonl" in str(report.failures[0].error)


def test_an_unknown_dimension_is_refused_with_what_is_accepted(tmp_path: Path) -> None:
    report = import_files(
        home(tmp_path / "h"), [write(tmp_path / "a", traces([0]))], set_dimensions={"x": "y"}
    )
    assert isinstance(report.failures[0].error, FilterError)
    assert "tenant" in str(report.failures[0].error)


def test_a_given_dimension_is_on_every_request(tmp_path: Path) -> None:
    at = home(tmp_path / "home")
    import_files(at, [write(tmp_path / "a", traces([0, 1]))], set_dimensions={"tenant": "acme"})
    assert requests_of(at).column("tenant").to_pylist() == ["acme", "acme"]


def test_a_folder_is_imported_with_all_below_it(tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    write(tmp_path / "in" / "deep" / "a", traces([0]))
    write(tmp_path / "in" / "b", traces([1]))
    report = import_files(home(tmp_path / "home"), [tmp_path / "in"])
    assert [Path(file.path).name for file in report.files] == ["b", "a"]
    assert report.totals.requests == 2


def test_a_folder_that_cannot_be_opened_is_named_and_the_rest_goes_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in" / "locked").mkdir(parents=True)
    write(tmp_path / "in" / "b", traces([1]))
    look = os.scandir

    def refuse(path: str | Path) -> Any:
        if str(path).endswith("locked"):  # whoever runs the tests may be allowed to open anything
            raise PermissionError(13, "Permission denied", str(path))
        return look(path)

    monkeypatch.setattr(os, "scandir", refuse)
    report = import_files(home(tmp_path / "home"), [tmp_path / "in"])
    assert [Path(file.path).name for file in report.files] == ["b"]
    assert [str(one.error) for one in report.failures] == ["locked: is a folder that cannot be opened"]


def test_cancelling_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "BATCH_RECORDS", 50)
    at, cancel = home(tmp_path / "home"), Event()

    def stop(progress: Progress) -> None:
        if progress.records > 100:
            cancel.set()

    with pytest.raises(Cancelled):
        import_files(at, [write(tmp_path / "a", traces(range(200)))], on_progress=stop, cancel=cancel)
    assert requests_of(at).num_rows == 0
    assert listed(at.segments_dir) == []


@pytest.mark.parametrize("harm", [lambda path: path.write_bytes(b""), lambda path: path.unlink()])
def test_a_file_that_shrinks_or_goes_while_it_is_read_leaves_nothing(
    harm: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "BATCH_RECORDS", 50)
    at, path = home(tmp_path / "home"), write(tmp_path / "a", traces(range(200)))

    def strike(progress: Progress) -> None:
        if progress.records > 100 and path.exists() and path.stat().st_size:
            harm(path)

    report = import_files(at, [path], on_progress=strike)
    assert [str(one.error)[:2] for one in report.failures] == ["a:"]
    assert requests_of(at).num_rows == 0


def test_progress_ends_with_all_bytes_read(tmp_path: Path) -> None:
    seen: list[Progress] = []
    path = write(tmp_path / "a", traces(range(20)))
    import_files(home(tmp_path / "home"), [path], on_progress=seen.append)
    assert [one.phase for one in seen][-2:] == ["settling", "writing"]
    assert seen[-1].bytes_done == seen[-1].bytes_total == path.stat().st_size
    assert seen[-1].records == 80


def test_a_trace_of_many_spans_is_counted_whole(tmp_path: Path) -> None:
    spans = [span(0, 0), *(span(0, 1, spanId=f"{n + 100:016x}") for n in range(599))]
    at = home(tmp_path / "home")
    assert import_files(at, [write(tmp_path / "a", spans)]).totals.accepted == 600
    assert requests_of(at).column("span_count").to_pylist() == [600]


def test_a_huge_attribute_is_cut_and_the_timing_kept(tmp_path: Path) -> None:
    huge = [{"key": "prompt", "value": {"stringValue": "x" * 1_000_000}}]
    at = home(tmp_path / "home")
    report = import_files(at, [write(tmp_path / "a", [span(0, 0, attributes=huge), span(0, 3)])])
    assert report.totals.accepted == 2
    assert [one.code for one in report.files[0].warnings] == ["text-cut"]
    assert requests_of(at).column("e2e_us").to_pylist() == [100_000]


def test_a_parent_of_zeros_is_a_root(tmp_path: Path) -> None:
    at = home(tmp_path / "home")
    import_files(at, [write(tmp_path / "a", [span(0, 0, parentSpanId="0" * 16), span(0, 3)])])
    assert requests_of(at).column("e2e_us").to_pylist() == [100_000]


def test_rules_that_cannot_be_used_stop_an_import_before_it_begins(tmp_path: Path) -> None:
    at: Settings = home(tmp_path / "home")
    at.home.mkdir()
    at.rules_file.write_text("[[hop]]\nname = 'x'\nhop = 'nowhere'\n")
    with pytest.raises(MappingError, match="nowhere"):
        import_files(at, [write(tmp_path / "a", traces([0]))])


def test_a_damaged_segment_stops_an_import_that_needs_it_in_one_sentence(tmp_path: Path) -> None:
    at = home(tmp_path / "home")
    import_files(at, [write(tmp_path / "a", traces([0]))])
    for path in at.segments_dir.glob("*.parquet"):
        path.write_bytes(b"PAR1 and no more")
    with pytest.raises(
        StoreError, match=r"^the segment \S+ is missing or damaged; `tailbudget doctor` tells"
    ):
        import_files(at, [write(tmp_path / "b", traces([0, 1]))])
