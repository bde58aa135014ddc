from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from budget_model.domain.hops import HOPS
from budget_model.errors import SourceError
from budget_model.records.facts import Flag, RequestFact
from tests.imported import DATA, imported, warning_codes, written

LOGS = DATA / "request_log"
SPREADSHEET = LOGS / "bom_crlf_mixed_units.csv"


def rows(tmp_path: Path, *found: dict[str, Any]) -> Any:
    text = "".join(json.dumps(row) + "\n" for row in (*found, {"request_id": "last", "e2e_ms": 1}))
    return written(tmp_path / "log.jsonl", text)


def one(tmp_path: Path, **cells: Any) -> RequestFact:
    batch = rows(tmp_path, {"request_id": "r1"} | cells)
    assert batch.rejects == []
    fact = batch.facts[0]
    assert isinstance(fact, RequestFact)
    return fact


def path(fact: RequestFact) -> dict[str, int]:
    return {hop.value: us for hop, us in zip(HOPS, fact.path_us, strict=True) if us is not None}


class TestSpreadsheet:
    """A file as a spreadsheet writes it: mark, CRLF, quoted comma and newline, units, NaN, bad rows."""

    def test_seven_rows_go_in_and_three_are_refused_with_their_line(self) -> None:
        batch = imported(SPREADSHEET)
        assert (batch.records, batch.accepted) == (10, 7)
        assert [reject.where for reject in batch.rejects] == ["line 10", "line 11", "line 12"]
        assert [reject.value[:10] for reject in batch.rejects] == ["1,500", "r9,2026-12", "fortnights"]

    def test_four_units_give_one_duration(self) -> None:
        assert {fact.e2e_us for fact in imported(SPREADSHEET).facts} == {1_500_000}

    def test_ids_and_tenants_stay_text(self) -> None:
        facts = imported(SPREADSHEET).facts
        assert [fact.request_id for fact in facts[:3]] == [
            "1234567890123456",
            "12e4567890123456",
            "00000000000000e5",
        ]
        assert [fact.tenant for fact in facts] == [
            "007",
            "007",
            "acme, inc",
            "acme, inc",
            "NULL",
            None,
            "007",
        ]

    def test_an_offset_is_honoured(self) -> None:
        assert imported(SPREADSHEET).facts[4].start_us == 1796063404000000  # 2026-11-30T18:30:04Z

    def test_an_empty_ttft_and_nan_are_no_ttft(self) -> None:
        batch = imported(SPREADSHEET)
        assert [fact.ttft_us for fact in batch.facts] == [120000, 130000, 140000, 150000, 160000, None, None]
        assert warning_codes(batch) == {"no-number", "column-not-used"}


class TestPublishedLog:
    """A thousand requests of a load test, in three containers."""

    @pytest.mark.parametrize("name", ["llm_requests.csv", "llm_requests.jsonl", "llm_requests.parquet"])
    def test_counts_tokens_and_percentiles_are_as_published(self, name: str) -> None:
        facts = imported(LOGS / name).facts
        ttft = sorted(fact.ttft_us for fact in facts if fact.ttft_us is not None)
        assert (len(facts), len(ttft)) == (1000, 572)
        assert sum(fact.prompt_tokens or 0 for fact in facts) == 215196
        assert sum(fact.output_tokens or 0 for fact in facts) == 116476
        # Published by interpolation: with 572 values the median lies between ranks 286 and 287.
        assert (ttft[285] + ttft[286]) / 2e6 == pytest.approx(104.664, rel=1e-5)
        assert {fact.outcome for fact in facts if fact.output_tokens == 0} == {"empty"}
        assert all(fact.flags & Flag.NO_TIME for fact in facts)

    def test_the_three_containers_hold_the_same_requests(self) -> None:
        csv, jsonl, parquet = (
            imported(LOGS / f"llm_requests.{ending}").facts for ending in ("csv", "jsonl", "parquet")
        )
        assert csv == jsonl == parquet


@pytest.mark.parametrize("name", ["azure_arrivals.csv", "mooncake_arrivals.jsonl"])
def test_a_list_of_arrivals_is_refused_for_what_it_lacks(name: str) -> None:
    with pytest.raises(SourceError, match="arrivals without any latency"):
        imported(LOGS / name)


def test_a_burstgpt_table_has_its_end_to_end_time_in_seconds(tmp_path: Path) -> None:
    header = "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type"
    batch = written(tmp_path / "b.csv", f"{header}\n5,1,2.5,ChatGPT,472,18,490,Conversation log\n")
    fact = batch.facts[0]
    assert (fact.e2e_us, fact.prompt_tokens, fact.output_tokens, fact.model) == (
        2_500_000,
        472,
        18,
        "ChatGPT",
    )
    assert fact.flags & Flag.NO_TIME
    assert "time-unusable" in warning_codes(batch)


def test_without_an_end_to_end_column_the_hops_are_it(tmp_path: Path) -> None:
    fact = one(tmp_path, queue_ms=1.5, prefill_us=2500, decode_s=0.01)
    assert (fact.e2e_us, path(fact)) == (14_000, {"queue": 1500, "prefill": 2500, "decode": 10_000})
    assert fact.wall_us == [*fact.path_us[:9], None]


def test_what_the_hops_leave_over_is_unattributed(tmp_path: Path) -> None:
    fact = one(tmp_path, e2e_ms=20, prefill_ms=5)
    assert (path(fact), fact.wall_us[9]) == ({"prefill": 5000, "unattributed": 15_000}, None)


def test_hops_beyond_the_end_to_end_time_are_refused_with_both_figures(tmp_path: Path) -> None:
    batch = rows(tmp_path, {"request_id": "r1", "e2e_ms": 5, "prefill_ms": 4, "decode_ms": 4})
    assert (batch.rejects[0].where, batch.rejects[0].value) == ("line 1", "8 ms")
    assert "end-to-end time of 5 ms" in batch.rejects[0].reason


def test_hops_beyond_it_by_no_more_than_rounding_are_fitted_to_it(tmp_path: Path) -> None:
    fact = one(tmp_path, e2e_us=2000, prefill_us=1001, decode_us=1001)
    assert (fact.e2e_us, path(fact)) == (2000, {"prefill": 1000, "decode": 1000})


def test_an_empty_hop_is_not_recorded_and_no_zero(tmp_path: Path) -> None:
    assert path(one(tmp_path, prefill_ms=4, decode_ms="")) == {"prefill": 4000}


def test_tpot_is_over_the_tokens_after_the_first(tmp_path: Path) -> None:
    fact = one(tmp_path, e2e_ms=1000, ttft_ms=300, output_tokens=4)
    assert (fact.generation_us, fact.tpot_us) == (700_000, 233_333)


@pytest.mark.parametrize("tokens", [0, 1, None])
def test_tpot_is_not_defined_below_two_tokens(tmp_path: Path, tokens: int | None) -> None:
    assert one(tmp_path, e2e_ms=1000, ttft_ms=300, output_tokens=tokens).tpot_us is None


def test_a_first_token_at_the_very_end_of_many_is_flagged_and_gives_no_tpot(tmp_path: Path) -> None:
    fact = one(tmp_path, duration_ms=900, ttft_ms=900, output_tokens=200)
    assert fact.flags & Flag.TTFT_EQUALS_E2E
    assert (fact.ttft_us, fact.tpot_us, fact.generation_us) == (900_000, None, None)


def test_a_first_token_time_of_zero_is_not_recorded(tmp_path: Path) -> None:
    fact = one(tmp_path, e2e_ms=1000, ttft_ms=0, output_tokens=0)
    assert (fact.ttft_us, fact.outcome) == (None, "empty")


def test_a_first_token_after_the_end_is_refused_when_the_request_finished(tmp_path: Path) -> None:
    batch = rows(tmp_path, {"request_id": "a", "e2e_ms": 1, "ttft_ms": 2})
    assert "must not exceed the end-to-end time" in batch.rejects[0].reason


def test_a_failed_row_is_counted_even_when_its_times_make_no_sense(tmp_path: Path) -> None:
    fact = one(tmp_path, e2e_ms=15, ttft_ms=99, status=429)
    assert (fact.outcome, fact.e2e_us, fact.ttft_us) == ("failed", 15_000, None)


def test_a_row_without_id_is_named_by_its_file_and_line(tmp_path: Path) -> None:
    text = "e2e_ms,tenant\n1,a\n1,a\n"
    first = written(tmp_path / "a.csv", text).facts
    renamed = written(tmp_path / "b.csv", text).facts
    assert first == renamed
    assert len({fact.request_id for fact in first}) == 2


def test_a_row_without_time_stamp_is_kept_and_flagged(tmp_path: Path) -> None:
    fact = one(tmp_path, e2e_ms=1)
    assert (fact.start_us, fact.flags) == (None, int(Flag.NO_TIME))


def test_times_with_and_without_zone_go_in_together(tmp_path: Path) -> None:
    batch = rows(
        tmp_path,
        {"request_id": "a", "e2e_ms": 1, "started_at": "2026-12-01T00:00:00.1234567Z"},
        {"request_id": "b", "e2e_ms": 1, "started_at": "2026-12-01 00:00:00.123456789"},
    )
    assert [fact.start_us for fact in batch.facts[:2]] == [1796083200123456, 1796083200123456]
    assert [bool(fact.flags & Flag.ZONE_ASSUMED) for fact in batch.facts[:2]] == [False, True]
    assert [warning.count for warning in batch.warnings if warning.code == "zone-assumed"] == [1]


def test_the_name_request_id_wins_over_id_wherever_it_stands(tmp_path: Path) -> None:
    batch = written(tmp_path / "l.csv", "id,request_id,e2e_ms\n1,r1,5\n")
    assert batch.facts[0].request_id == "r1"
    assert "id" in batch.warnings[0].example


def test_a_duration_without_unit_is_not_guessed(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="a duration with its unit"):
        written(tmp_path / "l.csv", "request_id,latency\nr1,5\n")


@pytest.mark.parametrize("value", ["-1", "1e400", "1_000", "12 ms", "0x10", "९", "inf", True, [1], "9" * 400])
def test_what_is_no_duration_is_refused(tmp_path: Path, value: Any) -> None:
    batch = rows(tmp_path, {"request_id": "a", "e2e_ms": value})
    assert (batch.accepted, batch.rejects[0].where) == (1, "line 1")


def test_a_request_of_a_table_shares_no_key_with_a_trace_of_the_same_id(tmp_path: Path) -> None:
    from budget_model.normalise.keys import trace_key

    fact = one(tmp_path, e2e_ms=1)
    assert fact.trace_key != trace_key(fact.request_id)


def test_a_cell_that_is_no_number_is_refused_by_its_column(tmp_path: Path) -> None:
    batch = written(tmp_path / "r.csv", "request_id,e2e_ms,gateway_ms\na,5,\nb,5,soon\n")
    assert [reject.value for reject in batch.rejects] == ["soon"]
    assert batch.rejects[0].reason.startswith("gateway_ms must be a plain number")
