"""Request logs as spreadsheets and load generators leave them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cases.homes import DATA, SPREADSHEET, figures, totals
from tests.commands.homes import answer, import_csv, run


def test_a_spreadsheet_gives_one_duration_whatever_its_units(tmp_path: Path) -> None:
    found = totals(tmp_path, SPREADSHEET)
    assert (found["accepted"], found["rejected"]) == (7, 3)
    rows = figures(tmp_path, "e2e", "ttft")
    assert {rows["e2e"][name] for name in ("p50_ms", "p95_ms", "p99_ms")} == {1500}
    assert (rows["ttft"]["n"], rows["ttft"]["missing"], rows["ttft"]["p50_ms"]) == (5, 2, 140)


def test_labels_of_a_spreadsheet_stay_text_and_a_missing_one_is_its_own_group(tmp_path: Path) -> None:
    totals(tmp_path, SPREADSHEET)
    found = figures(tmp_path, "e2e", by="tenant")
    assert {tenant: row["n"] for tenant, row in found.items()} == {
        "007": 3,
        "acme, inc": 2,
        "NULL": 1,
        None: 1,
    }


def test_a_value_that_is_no_number_leaves_no_nan_in_the_output(tmp_path: Path) -> None:
    totals(tmp_path, SPREADSHEET)
    printed = run(tmp_path, "percentiles", "--json").stdout

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    assert json.loads(printed, parse_constant=refuse)["rows"]


def test_requests_stored_with_zeros_because_they_failed_are_no_latencies(tmp_path: Path) -> None:
    bench = json.loads((DATA / "cases" / "H02-vllm-bench-failures.json").read_text())
    rows = [
        (f"r{i}", 1000 * (ttft + sum(itls)), 1000 * ttft, n_out, error or "")
        for i, (ttft, itls, n_out, error) in enumerate(
            zip(bench["ttfts"], bench["itls"], bench["output_lens"], bench["errors"], strict=True)
        )
    ]
    import_csv(tmp_path / "home", tmp_path / "logs", "request_id,e2e_ms,ttft_ms,output_tokens,error", rows)
    found = figures(tmp_path / "home", "e2e", "ttft", "tpot")
    assert [(row["n"], row["failed"]) for row in found.values()] == [(7, 3), (7, 3), (6, 3)]
    assert [row["p50_ms"] for row in found.values()] == [340, 160, 10]
    assert found["ttft"]["p99_ms"] == 1000


def test_when_every_request_failed_there_is_no_latency_at_all(tmp_path: Path) -> None:
    rows = [(f"r{i}", 10 + i, 0, "error") for i in range(10)]
    import_csv(tmp_path / "home", tmp_path / "logs", "request_id,e2e_ms,ttft_ms,status", rows)
    row = figures(tmp_path / "home", "e2e")["e2e"]
    assert (row["n"], row["failed"], row["p50_ms"], row["p99_ms"]) == (0, 10, None, None)


def test_a_first_token_at_the_end_of_a_long_answer_is_noticed_and_gives_no_time_per_token(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log.csv"
    path.write_text(
        "request_id,duration_ms,ttft_ms,output_tokens\n" + "".join(f"r{i},4000,4000,200\n" for i in range(5))
    )
    [file] = answer(tmp_path / "home", "import", str(path))["files"]
    assert [(w["code"], w["count"]) for w in file["warnings"]] == [("ttft-equals-e2e", 5)]
    rows = figures(tmp_path / "home", "ttft", "tpot")
    assert (rows["ttft"]["p50_ms"], rows["tpot"]["n"], rows["tpot"]["p50_ms"]) == (4000, 0, None)


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("H02-vllm-bench-failures.json", "a vLLM or SGLang benchmark result"),
    ],
)
def test_a_whole_file_of_another_tool_is_refused_by_its_name_and_leaves_nothing(
    tmp_path: Path, name: str, held: str
) -> None:
    done = run(tmp_path, "import", str(DATA / "cases" / name), "--json")
    assert done.exit_code == 2
    answered = json.loads(done.stdout)
    assert f"holds {held}, which this version does not read" in answered["failures"][0]["error"]
    assert answered["totals"]["records"] == 0
    assert figures(tmp_path, "e2e")["e2e"]["n"] == 0
