"""Streams of which each breaks another tool's idea of a token, a success or an end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cases.homes import STREAMS, figures, totals
from tests.commands.homes import answer

METRICS = ("e2e", "ttft", "first_answer", "tpot", "itl")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("streams")
    assert totals(folder, STREAMS)["requests"] == 7
    return folder


@pytest.fixture(scope="module")
def rows(home: Path) -> dict[str, Any]:
    return figures(home, *METRICS)


def values(row: dict[str, Any]) -> list[float | None]:
    return [row[name] for name in ("p50_ms", "p95_ms", "p99_ms")]


def test_the_first_generated_token_counts_and_the_first_answer_token_is_another_figure(
    rows: dict[str, Any],
) -> None:
    assert (rows["ttft"]["n"], values(rows["ttft"])) == (3, [200, 300, 300])
    assert (rows["first_answer"]["n"], values(rows["first_answer"])) == (3, [200, 900, 900])


def test_the_stream_ends_with_its_last_token_and_not_with_its_usage_record(rows: dict[str, Any]) -> None:
    assert values(rows["e2e"]) == [290, 1000, 1000]


def test_refused_and_broken_streams_are_failures_and_never_latencies(rows: dict[str, Any]) -> None:
    assert [rows[metric]["failed"] for metric in METRICS] == [2] * 5
    assert min(value for row in rows.values() for value in values(row) if value is not None) == 10


def test_a_single_token_has_no_time_per_token_and_stays_in_the_other_figures(rows: dict[str, Any]) -> None:
    assert (rows["tpot"]["n"], rows["tpot"]["missing"]) == (2, 1)
    assert values(rows["tpot"]) == pytest.approx([10, 233.333, 233.333], abs=1e-3)


def test_a_chunk_of_several_tokens_is_several_steps(home: Path) -> None:
    [code] = answer(home, "percentiles", "--metric", "itl", "--workload", "code")["rows"]
    assert values(code) == [15, 15, 15]
    [reasoned] = answer(home, "percentiles", "--metric", "itl", "--workload", "chat")["rows"]
    assert values(reasoned) == [50, 600, 600]
