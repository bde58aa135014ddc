"""Awkward traces, from the file to the figures the command prints."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from budget_model.queries.filters import Filter
from budget_model.services.workspace import Workspace
from budget_model.settings import load_settings
from tests.cases.homes import EVERY_FILE, PARALLEL, REPEATED, SKEWED, SPELLINGS, figures, totals
from tests.commands.homes import answer


def test_spans_without_a_usable_duration_are_in_no_figure_and_the_root_is_end_to_end(tmp_path: Path) -> None:
    totals(tmp_path, SKEWED)
    rows = figures(tmp_path, "e2e", "retrieval", "prefill", "decode", "postprocess")
    assert {name: (row["n"], row["p50_ms"]) for name, row in rows.items()} == {
        "e2e": (1, 1000),
        "retrieval": (1, 200),
        "prefill": (0, None),
        "decode": (0, None),
        "postprocess": (1, 120),
    }


def test_a_span_sent_again_is_one_sample_and_a_contradiction_is_named(tmp_path: Path) -> None:
    [first] = answer(tmp_path, "import", str(REPEATED))["files"]
    assert (first["spans"], first["duplicates"]) == (3, 2)
    assert [(w["code"], w["count"]) for w in first["warnings"]] == [("conflicting-span", 1)]
    rows = figures(tmp_path, "e2e", "decode")
    assert (rows["e2e"]["p50_ms"], rows["decode"]["n"], rows["decode"]["p50_ms"]) == (800, 1, 600)
    [again] = answer(tmp_path, "import", str(REPEATED))["files"]
    assert (again["spans"], again["already_known"]) == (0, 5)


def test_the_import_says_what_it_set_aside_and_names_a_request(tmp_path: Path) -> None:
    (file,) = answer(tmp_path, "import", str(SKEWED))["files"]
    told = {w["code"]: (w["count"], w["example"]) for w in file["warnings"]}
    request = (1, f"request {'a1' * 16}")
    assert told["negative-duration"] == told["unfinished-span"] == told["clock-skew"] == request


def test_nanoseconds_and_microseconds_side_by_side_keep_their_scale(tmp_path: Path) -> None:
    totals(tmp_path, SPELLINGS, PARALLEL)
    row = figures(tmp_path, "e2e")["e2e"]
    assert (row["n"], row["p50_ms"], row["p99_ms"]) == (2, 900, 10_000)


def test_parallel_work_is_no_more_than_the_request(tmp_path: Path) -> None:
    totals(tmp_path, PARALLEL)
    found = answer(tmp_path, "waterfall")
    assert {bar["hop"]: bar["ms"] for bar in found["bars"]} == {"retrieval": 6000, "unattributed": 4000}


def test_a_trace_opened_by_id_has_the_spans_its_listing_counts(tmp_path: Path) -> None:
    totals(tmp_path, SPELLINGS)
    workspace = Workspace(load_settings(tmp_path, {}))
    [listed] = workspace.figures.requests(Filter(tenant=("north",))).rows
    opened = workspace.figures.trace(listed.request_id)
    workspace.close()
    assert len(opened.rows) == 4
    assert opened.orphans == 0
    assert sum(row.depth == 0 for row in opened.rows) == 1


@pytest.mark.parametrize("path", EVERY_FILE, ids=lambda path: path.name)
def test_importing_under_another_name_changes_no_figure(tmp_path: Path, path: Path) -> None:
    first = totals(tmp_path / "home", path)
    before = answer(tmp_path / "home", "percentiles")
    again = totals(tmp_path / "home", Path(shutil.copy(path, tmp_path / "renamed.dat")))
    assert (again["requests"], again["spans"]) == (0, 0)
    assert again["already_known"] + again["rejected"] == first["records"]
    assert answer(tmp_path / "home", "percentiles") == before
