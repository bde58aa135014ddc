from __future__ import annotations

from typing import Any

import pytest

from budget_model.normalise.explain import explain
from budget_model.records.facts import Flag
from tests.builders import at, span
from tests.normalise.facts import RULES, flags, only_fact, path_ms, wall_ms

LATENCY = "gen_ai.latency."


def engine(queue: float, prefill: float, decode: float, ttft: float | None) -> dict[str, Any]:
    seconds = {"time_in_queue": queue, "time_in_model_prefill": prefill, "time_in_model_decode": decode}
    if ttft is not None:
        seconds["time_to_first_token"] = ttft
    return {LATENCY + name: value for name, value in seconds.items()}


def test_stages_recorded_as_attributes_become_hops() -> None:
    fact = only_fact(
        [
            span("1", "", "POST /v1/chat/completions", 0, 1000, kind="SERVER"),
            span("2", "1", "llm_request", 0, 1000, kind="SERVER", attributes=engine(0.05, 0.25, 0.6, 0.32)),
        ]
    )
    assert path_ms(fact) == {"queue": 50, "prefill": 250, "decode": 600, "unattributed": 100}
    assert wall_ms(fact) == {"queue": 50, "prefill": 250, "decode": 600}
    assert (fact.ttft_us, fact.generation_us, flags(fact)) == (320_000, 600_000, Flag(0))


def test_the_front_end_comes_before_the_queue() -> None:
    spans = [span("1", "", "llm_request", 0, 1000, attributes=engine(0.05, 0.25, 0.6, 0.32))]
    rows = [(row.name, row.start_ms, row.duration_ms) for row in explain(spans, RULES).rows if row.is_virtual]
    assert rows == [("queue", 20, 50), ("prefill", 70, 250), ("decode", 320, 600)]


def test_without_a_first_token_the_stages_follow_one_another() -> None:
    fact = only_fact([span("1", "", "llm_request", 0, 1000, attributes=engine(0.05, 0.25, 0.6, None))])
    assert path_ms(fact) == {"queue": 50, "prefill": 250, "decode": 600, "unattributed": 100}
    assert fact.ttft_us == 300_000


def test_a_prefill_counted_from_dispatch_is_shortened_by_the_queue() -> None:
    fact = only_fact([span("1", "", "llm_request", 0, 1000, attributes=engine(0.2, 0.3, 0.7, 0.3))])
    assert path_ms(fact) == {"queue": 200, "prefill": 100, "decode": 700}


def test_stages_longer_than_their_span_are_cut_to_it() -> None:
    fact = only_fact([span("1", "", "llm_request", 0, 100, attributes=engine(0.05, 0.25, 60, None))])
    assert sum(path_ms(fact).values()) == 100
    assert fact.e2e_us == 100_000


def test_real_stage_spans_win_over_attributes() -> None:
    fact = only_fact(
        [
            span("1", "", "llm_request", 0, 1000, attributes=engine(0.9, 0.9, 0.9, 0.3)),
            span("2", "1", "prefill_waiting", 0, 100),
            span("3", "1", "prefill_forward", 100, 300),
            span("4", "1", "decode_loop", 300, 1000),
        ]
    )
    assert path_ms(fact) == {"queue": 100, "prefill": 200, "decode": 700}


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.response.time_to_first_chunk": 0.2},
        {"gen_ai.server.time_to_first_token": 0.2},
        {"ttft_ms": 200},
        {"ttft_ms": "200"},
    ],
)
def test_a_known_first_token_splits_the_call(attributes: dict[str, Any]) -> None:
    fact = only_fact(
        [
            span("1", "", "request", 0, 1000),
            span("2", "1", "llm", 100, 900, attributes={**attributes, "output_tokens": 61}),
        ]
    )
    assert path_ms(fact) == {"prefill": 200, "decode": 600, "unattributed": 200}
    assert (fact.ttft_us, fact.generation_us, fact.tpot_us) == (300_000, 600_000, 10_000)


@pytest.mark.parametrize("name", ["first_token", "mlflow.chunk.item.0", "First Token Stream Event"])
def test_an_event_marks_the_first_token(name: str) -> None:
    fact = only_fact([span("1", "", "chat m", 0, 900, events={name: 300, "other": 10})])
    assert path_ms(fact) == {"prefill": 300, "decode": 600}


def test_the_first_answer_token_is_its_own_figure() -> None:
    fact = only_fact(
        [span("1", "", "chat m", 0, 900, events={"first_token": 300, "first_answer_token": 800})]
    )
    assert (fact.ttft_us, fact.first_answer_us) == (300_000, 800_000)


def test_a_call_nothing_splits_is_decode_and_says_so() -> None:
    fact = only_fact([span("1", "", "request", 0, 1000), span("2", "1", "ChatOpenAI", 100, 900)])
    assert path_ms(fact) == {"decode": 800, "unattributed": 200}
    assert flags(fact) == Flag.LLM_CALL_NOT_SPLIT
    assert fact.ttft_us is None


def test_a_framework_around_a_client_is_one_call() -> None:
    fact = only_fact(
        [
            span("1", "", "ChatOpenAI", 0, 1000, attributes={"output_tokens": 11}),
            span("2", "1", "openai.chat", 10, 1000, attributes={"output_tokens": 11, "ttft_ms": 290}),
        ]
    )
    assert path_ms(fact) == {"prefill": 290, "decode": 700, "unattributed": 10}
    assert (fact.ttft_us, fact.output_tokens, fact.tpot_us) == (300_000, 11, 70_000)


def test_an_unmapped_part_of_a_call_is_split_with_it() -> None:
    fact = only_fact(
        [
            span(*("1", "", "chat m", 0, 1000), kind="CLIENT", service="app", attributes={"ttft_ms": 300}),
            span("2", "1", "POST /v1/chat/completions", 20, 990, kind="SERVER", service="model"),
        ]
    )
    assert path_ms(fact) == {"network": 30, "prefill": 280, "decode": 690}
    assert wall_ms(fact) == {"network": 30, "prefill": 280, "decode": 690}


def test_client_less_server_is_network_whatever_the_clocks_say() -> None:
    ahead = 5
    fact = only_fact(
        [
            span("1", "", "request", 0, 1000, service="app"),
            span("2", "1", "POST", 100, 900, kind="CLIENT", service="app"),
            span("3", "2", "gateway", 150 + ahead, 800 + ahead, kind="SERVER", service="edge", host="h2"),
        ]
    )
    assert path_ms(fact) == {"network": 150, "gateway": 650, "unattributed": 200}


def test_a_client_span_a_rule_names_keeps_its_hop() -> None:
    fact = only_fact(
        [
            span("1", "", "retrieve", 0, 1000, kind="CLIENT", service="app"),
            span("2", "1", "POST", 100, 900, kind="SERVER", service="vectors"),
        ]
    )
    assert path_ms(fact) == {"retrieval": 1000}


def test_time_per_token_is_over_all_calls_that_know_both() -> None:
    fact = only_fact(
        [
            span("1", "", "request", 0, 1000),
            span("2", "1", "chat m", 0, 400, attributes={"ttft_ms": 100, "output_tokens": 31}),
            span("3", "1", "chat m", 400, 1000, attributes={"ttft_ms": 100, "output_tokens": 51}),
            span("4", "1", "chat m", 400, 900, attributes={"output_tokens": 9}),
        ]
    )
    assert (fact.ttft_us, fact.tpot_us, fact.output_tokens) == (100_000, 10_000, 91)


def test_one_token_has_no_time_per_token() -> None:
    fact = only_fact([span("1", "", "chat m", 0, 120, attributes={"ttft_ms": 120, "output_tokens": 1})])
    assert (fact.ttft_us, fact.tpot_us, flags(fact)) == (120_000, None, Flag(0))


def test_a_first_token_at_the_very_end_is_flagged() -> None:
    fact = only_fact([span("1", "", "chat m", 0, 900, attributes={"ttft_ms": 900, "output_tokens": 200})])
    assert flags(fact) == Flag.TTFT_EQUALS_E2E


def test_a_first_token_outside_the_request_is_not_used() -> None:
    fact = only_fact(
        [
            span("1", "", "request", 0, 1000, host="h1"),
            span("2", "1", "chat m", -500, 400, host="h2", attributes={"ttft_ms": 100}),
        ]
    )
    assert fact.ttft_us is None
    assert flags(fact) & Flag.CLOCK_SKEW


def test_events_keep_the_exact_nanosecond() -> None:
    fact = only_fact([span("1", "", "chat m", 0, 900, events={"first_token": 300.0004})])
    assert at(300.0004) - at(0) == 300_000_400
    assert fact.path_us[5:7] == [300_000, 600_000]
