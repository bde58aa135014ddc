"""A damaged home is told from a sound one, and a ledger can be made anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from budget_model.errors import StoreError
from budget_model.services.doctor import check_home, repair_home
from budget_model.services.importing import import_files
from budget_model.settings import Settings
from budget_model.store.ledger import Ledger
from tests.services.homes import home, requests_of, traces, write


@pytest.fixture
def filled(tmp_path: Path) -> Settings:
    at = home(tmp_path / "home")
    (tmp_path / "log.csv").write_text("request_id,e2e_ms\nrow,7\n")
    import_files(at, [write(tmp_path / "a", traces(range(5))), tmp_path / "log.csv"])
    return at


def damage(path: Path, start: int, stop: int) -> None:
    content = bytearray(path.read_bytes())
    for place in range(start, min(stop, len(content)), 3):
        content[place] ^= 0x5A
    path.write_bytes(content)


def test_a_sound_home_has_no_problem(filled: Settings) -> None:
    assert check_home(filled).is_sound


def test_a_home_that_does_not_exist_is_sound(tmp_path: Path) -> None:
    assert check_home(home(tmp_path / "none")).is_sound
    assert not (tmp_path / "none").exists()


def test_a_damaged_ledger_is_one_sentence_and_is_made_anew_with_a_copy_kept(filled: Settings) -> None:
    before = requests_of(filled)
    ledger_file = filled.home / "ledger.db"
    damage(ledger_file, 0, 8192)
    damaged = ledger_file.read_bytes()
    with pytest.raises(StoreError, match="doctor --repair"):
        Ledger(filled)
    assert not check_home(filled).is_sound
    assert "6 requests" in repair_home(filled)
    assert (filled.home / "ledger.db.broken-1").read_bytes() == damaged
    assert requests_of(filled).equals(before)
    assert check_home(filled).is_sound


def test_repairing_a_sound_ledger_changes_nothing(filled: Settings) -> None:
    assert "nothing was changed" in repair_home(filled)
    assert not (filled.home / "ledger.db.broken-1").exists()


def test_a_damaged_segment_is_named(filled: Settings) -> None:
    segment = next(filled.segments_dir.glob("spans-*"))
    damage(segment, 100, 600)
    problems = [one for one in check_home(filled).findings if one.level == "problem"]
    assert [one.about for one in problems] == ["segments"]
    assert segment.name in problems[0].words


def test_leftovers_of_a_stopped_import_are_told_and_then_collected(filled: Settings, tmp_path: Path) -> None:
    (filled.segments_dir / ".stage-dead").mkdir()
    (filled.segments_dir / "spans-dead.parquet").write_bytes(b"half")
    assert "2 files" in next(one.words for one in check_home(filled).findings if one.about == "leftovers")
    import_files(filled, [write(tmp_path / "b", traces([9]))])
    assert "none" in next(one.words for one in check_home(filled).findings if one.about == "leftovers")


def test_segments_whose_ledger_was_deleted_are_told_of_and_brought_back(filled: Settings) -> None:
    (filled.home / "ledger.db").unlink()
    assert not check_home(filled).is_sound
    assert "6 requests" in repair_home(filled)
    assert check_home(filled).is_sound


def test_an_import_into_a_new_ledger_deletes_no_segment_of_another(filled: Settings, tmp_path: Path) -> None:
    before = {path.name for path in filled.segments_dir.glob("*.parquet")}
    (filled.home / "ledger.db").unlink()
    import_files(filled, [write(tmp_path / "more", traces([50]))])
    assert {path.name for path in (filled.home / "unclaimed").iterdir()} == before
