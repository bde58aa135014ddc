"""Facts made again from stored spans; the user's rules changed, undone and taken back."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest

from budget_model.errors import Cancelled, MappingError
from budget_model.services import mapping, staging
from budget_model.services.importing import import_files
from budget_model.services.rebuild import rebuild
from budget_model.store.ledger import Ledger
from tests.services.homes import home, requests_of, span, traces, write


def test_a_rebuild_under_the_same_rules_changes_no_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "BATCH_RECORDS", 50)
    at = home(tmp_path / "home")
    (tmp_path / "log.csv").write_text("request_id,e2e_ms\nrow,7\n")
    spans = [*traces(range(60)), span(5, 3, status={"code": 2})]
    import_files(at, [write(tmp_path / "a", spans), tmp_path / "log.csv"])
    before = requests_of(at)
    report = rebuild(at)
    assert (report.spans, report.requests) == (241, 61)
    assert requests_of(at).equals(before)


def test_a_reader_is_told_to_load_rebuilt_facts_anew(tmp_path: Path) -> None:
    at = home(tmp_path / "home")
    import_files(at, [write(tmp_path / "a", traces([0]))])
    seen = Ledger(at).generation()
    assert rebuild(at).generation == seen + 1
    assert Ledger(at).changes(seen).reload


def test_a_rule_moves_time_to_another_hop_with_the_next_rebuild(tmp_path: Path) -> None:
    at = home(tmp_path / "home")
    import_files(at, [write(tmp_path / "a", [span(0, 0), span(0, 3, name="mystery")])])
    first = mapping.span_names(at)
    assert [(row.name, row.hop, row.count) for row in first if row.name == "mystery"] == [
        ("mystery", None, 1)
    ]
    assert not mapping.facts_are_stale(at)
    mapping.set_rule(at, "mystery", "retrieval")
    assert mapping.facts_are_stale(at)
    rebuild(at)
    assert not mapping.facts_are_stale(at)
    assert requests_of(at).column("path_retrieval_us").to_pylist() == [60_000]
    shares = {row.name: row.share_of_e2e for row in mapping.span_names(at)}
    assert shares["mystery"] == pytest.approx(0.6)


def test_rules_are_undone_one_change_at_a_time(tmp_path: Path) -> None:
    at = home(tmp_path / "home")
    mapping.set_rule(at, "a", "retrieval")
    first = at.rules_file.read_text()
    mapping.set_rule(at, "b", "gateway")
    assert mapping.undo_last(at)
    assert at.rules_file.read_text() == first
    mapping.reset_rules(at)
    assert mapping.undo_last(at)
    assert at.rules_file.read_text() == first
    assert mapping.undo_last(at)
    assert at.rules_file.read_text() == ""
    assert not mapping.undo_last(at)


def test_a_rule_for_a_name_replaces_the_one_before_and_can_be_taken_back(tmp_path: Path) -> None:
    at = home(tmp_path / "home")
    mapping.set_rule(at, "a", "retrieval")
    mapping.set_rule(at, "a", "gateway")
    assert at.rules_file.read_text().count("[[hop]]") == 1
    mapping.set_rule(at, "a", None)
    assert at.rules_file.read_text() == ""


def test_a_hop_that_does_not_exist_changes_nothing(tmp_path: Path) -> None:
    at = home(tmp_path / "home")
    with pytest.raises(MappingError, match="nowhere"):
        mapping.set_rule(at, "a", "nowhere")
    assert not at.rules_file.exists()


def test_a_stopped_rebuild_leaves_the_old_facts(tmp_path: Path) -> None:
    at, cancel = home(tmp_path / "home"), Event()
    import_files(at, [write(tmp_path / "a", traces(range(5)))])
    before = requests_of(at)
    cancel.set()
    with pytest.raises(Cancelled):
        rebuild(at, cancel=cancel)
    assert requests_of(at).equals(before)
