from __future__ import annotations

import json
from pathlib import Path

import pytest

from budget_model.errors import FilterError
from tests.commands.homes import answer, import_csv, run

HEADER = "request_id,timestamp,tenant,prompt_name,prompt_version,status,e2e_ms,ttft_ms"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    rows = [
        (
            f"r{i}",
            f"2026-12-01T{i // 60:02d}:{i % 60:02d}:00Z",
            ("acme", "globex")[i % 2],
            "qa",
            i % 3,
            "error" if i > 100 else "ok",
            i,
            "",
        )
        for i in range(1, 103)
    ]
    import_csv(folder / "home", folder / "logs", HEADER, rows)
    return folder / "home"


def test_the_answer_names_its_method_and_carries_n_interval_and_grade(home: Path) -> None:
    found = answer(home, "percentiles", "--metric", "e2e")
    assert found["method"] == "nearest-rank"
    (row,) = found["rows"]
    ends = row.pop("ci95")
    assert row == {
        "group": {},
        "metric": "e2e",
        "n": 100,
        "failed": 2,
        "missing": 0,
        "p50_ms": 50,
        "p95_ms": 95,
        "p99_ms": 99,
        "grade": "C",
    }
    assert list(ends) == ["p50_ms", "p95_ms", "p99_ms"]
    assert ends["p50_ms"][0] < 50 < ends["p50_ms"][1]
    assert ends["p99_ms"][1] is None


def test_what_was_not_recorded_is_null_and_valid_json(home: Path) -> None:
    done = run(home, "percentiles", "--metric", "ttft", "--q", "99", "--json")
    assert "NaN" not in done.stdout
    (row,) = json.loads(done.stdout)["rows"]
    assert (row["n"], row["missing"], row["p99_ms"], row["ci95"]) == (0, 100, None, {"p99_ms": [None, None]})


def test_rows_are_split_by_a_dimension(home: Path) -> None:
    found = answer(home, "percentiles", "--metric", "e2e", "--q", "50", "--by", "tenant")
    assert [(row["group"], row["n"], row["p50_ms"]) for row in found["rows"]] == [
        ({"tenant": "acme"}, 50, 50),
        ({"tenant": "globex"}, 50, 49),
    ]


@pytest.mark.parametrize(
    ("options", "n"),
    [
        (("--tenant", "acme"), 50),
        (("--tenant", "acme", "--tenant", "globex"), 100),
        (("--tenant", "~"), 0),
        (("--prompt", "qa"), 100),
        (("--prompt", "qa@0"), 33),
        (("--since", "2026-12-01T01:00Z"), 41),
        (("--until", "2026-12-01T00:10Z"), 9),
        (("--load-test", "spike"), 0),
    ],
)
def test_filters_restrict_the_figures(home: Path, options: tuple[str, ...], n: int) -> None:
    assert answer(home, "percentiles", "--metric", "e2e", *options)["rows"][0]["n"] == n


def test_a_percentile_keeps_its_decimals_in_its_name(home: Path) -> None:
    (row,) = answer(home, "percentiles", "--metric", "e2e", "--q", "99.9")["rows"]
    assert row["p99.9_ms"] == 100


@pytest.mark.parametrize(
    "options", [("--metric", "speed"), ("--by", "colour"), ("--since", "soon"), ("--q", "100")]
)
def test_what_does_not_exist_is_refused_in_one_sentence(home: Path, options: tuple[str, ...]) -> None:
    done = run(home, "percentiles", *options)
    assert isinstance(done.exception, FilterError)
    assert "\n" not in str(done.exception)


def test_the_table_shows_what_the_json_says(home: Path) -> None:
    shown = run(home, "percentiles", "--metric", "e2e", "--metric", "ttft").stdout
    assert "nearest-rank" in shown
    assert "96 .. ?" in shown
    assert "no data" in shown


def _stream(path: Path, chunks: int, tokens: int, gap_ms: int) -> Path:
    """An event log of one request: the first chunk after 500 ms, then one every ``gap_ms``."""
    moments = [("request_sent", 0, 0), *(("chunk", 500 + i * gap_ms, tokens) for i in range(chunks))]
    moments.append(("done", 500 + (chunks - 1) * gap_ms, 0))
    lines = [
        {
            "request_id": "r1",
            "ts_unix_nano": str((1_796_083_200_000 + at_ms) * 1_000_000),
            "event": event,
            "channel": "content" if count else "",
            "n_tokens": count,
        }
        for event, at_ms, count in moments
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize(
    ("chunks", "tokens", "gap_ms", "tpot_ms", "itl_p95_ms"),
    [(100, 1, 20, 20.0, 20.0), (25, 4, 80, 19.394, 20.0)],
)
def test_time_per_token_is_over_steps_after_the_first_token_and_never_a_chunk_gap(
    tmp_path: Path, chunks: int, tokens: int, gap_ms: int, tpot_ms: float, itl_p95_ms: float
) -> None:
    answer(tmp_path / "home", "import", str(_stream(tmp_path / "log.jsonl", chunks, tokens, gap_ms)))
    metrics = [option for name in ("e2e", "ttft", "tpot", "itl") for option in ("--metric", name)]
    rows = {row["metric"]: row for row in answer(tmp_path / "home", "percentiles", *metrics)["rows"]}
    assert rows["ttft"]["p50_ms"] == 500
    assert rows["tpot"]["p50_ms"] == pytest.approx(tpot_ms, rel=1e-3)
    assert rows["itl"]["p95_ms"] == pytest.approx(itl_p95_ms, rel=1e-3)
    assert rows["e2e"]["p50_ms"] == 500 + (chunks - 1) * gap_ms


@pytest.mark.parametrize("options", [(), ("--by", "workload"), ("--by", "tenant", "--by", "region")])
def test_a_home_without_requests_has_no_data_in_any_grouping(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    shown = run(tmp_path, "percentiles", "--metric", "e2e", *options)
    assert shown.exit_code == 0
    assert "no data" in shown.stdout
