from __future__ import annotations

from pathlib import Path

from tests.commands.homes import answer, run

SMALL = ("demo", "--requests", "300", "--until", "2026-12-01T03:20:00Z")


def test_the_demo_is_loaded_once_and_a_second_load_says_that_it_is_there(tmp_path: Path) -> None:
    first = answer(tmp_path, *SMALL)
    assert first["totals"]["requests"] == 300
    assert first["totals"]["records"] == first["totals"]["accepted"]
    assert first["demo"] == {"seed": 20, "requests": 300, "until": "2026-12-01T03:20:00+00:00"}
    assert first["was_there"] is False

    again = run(tmp_path, "demo")
    assert again.exit_code == 0
    assert "A demo that ends 01 December 2026, 03:20 UTC is in this home already" in again.stderr
    assert again.stdout == ""
    rows = answer(tmp_path, "percentiles", "--metric", "e2e", "--by", "environment")["rows"]
    assert [(row["group"], row["n"], row["failed"]) for row in rows] == [
        ({"environment": "production"}, 296, 3)
    ]


def test_an_end_that_is_no_moment_is_refused_with_what_is_accepted(tmp_path: Path) -> None:
    refused = run(tmp_path, "demo", "--until", "yesterday")
    assert refused.exit_code != 0
    assert "'yesterday'" in str(refused.exception)
    assert "2026-12-01T03:20:00Z" in str(refused.exception)
    assert not (tmp_path / "ledger.db").exists()
