from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from budget_model.domain.hops import HOPS
from budget_model.normalise.assemble import assemble
from budget_model.normalise.explain import explain
from budget_model.records.facts import RequestFact, TokenGap
from budget_model.records.spans import Span
from tests.builders import MS, START_NS, event
from tests.normalise.facts import RULES, only_fact, path_ms

LOG = Path(__file__).parents[1] / "data" / "event_log" / "first_token.jsonl"


def recorded(request_id: str) -> list[Span]:
    rows = [json.loads(line) for line in LOG.read_text().splitlines()]
    return [
        event(request_id, int(row["ts_unix_nano"]), row["event"], **attributes)
        for row in rows
        if row["request_id"] == request_id
        for attributes in [{k: v for k, v in row.items() if k not in ("request_id", "ts_unix_nano", "event")}]
    ]


def events(*given: tuple[float, str, dict[str, object]]) -> list[Span]:
    return [event("r", START_NS + round(ms * MS), name, **attributes) for ms, name, attributes in given]


def gaps_of(spans: list[Span]) -> list[tuple[int, int]]:
    gaps: list[TokenGap] = assemble(spans, RULES).gaps
    return [(gap.gap_us, gap.tokens) for gap in gaps]


@pytest.mark.parametrize(
    ("request_id", "outcome", "ttft", "answer", "e2e", "tokens", "tpot"),
    [
        ("s1", "ok", 300, 900, 1000, 4, 233.333),
        ("s2", "ok", 120, 120, 120, 1, None),
        ("s3", "empty", None, None, None, 0, None),
        ("s4", "failed", None, None, None, None, None),
        ("s5", "ok", 200, 200, 290, 10, 10),
        ("s6", "incomplete", 400, 400, None, None, None),
        ("s7", "failed", 100, 100, None, None, None),
    ],
)
def test_the_first_generated_token_on_any_channel_counts(
    request_id: str,
    outcome: str,
    ttft: float | None,
    answer: float | None,
    e2e: float | None,
    tokens: int | None,
    tpot: float | None,
) -> None:
    fact: RequestFact = only_fact(recorded(request_id))
    in_us = [None if ms is None else round(ms * 1000) for ms in (ttft, answer, e2e, tpot)]
    assert [fact.ttft_us, fact.first_answer_us, fact.e2e_us, fact.tpot_us] == in_us
    assert (fact.outcome, fact.output_tokens, fact.source_kind) == (outcome, tokens, "events")


def test_segments_come_from_the_events() -> None:
    fact = only_fact(recorded("s1"))
    assert (fact.tenant, fact.region, fact.workload, fact.prompt_tokens) == ("north", "eu", "chat", 900)


def test_a_chunk_of_many_tokens_is_many_even_steps() -> None:
    assert gaps_of(recorded("s1")) == [(600_000, 1), (50_000, 1), (50_000, 1)]
    assert gaps_of(recorded("s5")) == [(0, 3), (15_000, 4), (15_000, 2)]


def test_only_finished_answers_give_token_gaps() -> None:
    assert [gaps_of(recorded(name)) for name in ("s2", "s3", "s4", "s6", "s7")] == [[], [], [], [], []]


def test_the_order_of_the_rows_does_not_matter() -> None:
    rows = recorded("s1")
    made = assemble(rows, RULES)
    random.Random(7).shuffle(rows)
    assert assemble(rows, RULES) == made


def test_milestones_divide_the_time_before_the_first_token() -> None:
    fact = only_fact(
        events(
            (0, "request_start", {}),
            (20, "auth_done", {}),
            (25, "retrieval_start", {}),
            (125, "retrieval_done", {}),
            (165, "queue_end", {}),
            (400, "prefill_done", {}),
            (410, "chunk", {"n_tokens": 1, "channel": "content"}),
            (900, "chunk", {"n_tokens": 49, "channel": "content"}),
            (950, "end", {}),
        )
    )
    assert fact.e2e_us == 900_000
    assert path_ms(fact) == {
        **{"gateway": 20, "retrieval": 100, "queue": 40, "prefill": 245, "decode": 490, "unattributed": 5}
    }


def test_an_attempt_that_failed_is_retry_time_and_its_tokens_do_not_count() -> None:
    fact = only_fact(
        events(
            (0, "request_start", {}),
            (50, "chunk", {"n_tokens": 5}),
            (100, "error", {"status": 500}),
            (300, "attempt", {}),
            (500, "chunk", {"n_tokens": 1}),
            (900, "chunk", {"n_tokens": 4}),
            (901, "done", {}),
        )
    )
    assert (fact.outcome, fact.attempts, fact.error_span_count) == ("ok", 2, 1)
    assert (fact.ttft_us, fact.output_tokens, fact.e2e_us) == (500_000, 5, 900_000)
    assert path_ms(fact) == {"retry": 300, "decode": 400, "unattributed": 200}


def test_a_cancel_ends_the_request_without_a_latency() -> None:
    fact = only_fact(
        events((0, "request_start", {}), (50, "chunk", {"n_tokens": 5}), (90, "client_disconnect", {}))
    )
    assert (fact.outcome, fact.e2e_us, fact.ttft_us) == ("cancelled", None, 50_000)


def test_without_chunks_the_marked_tokens_are_used() -> None:
    fact = only_fact(
        events(
            (0, "request_start", {}),
            (100, "first_token", {}),
            (700, "last_token", {"output_tokens": 31}),
            (720, "done", {}),
        )
    )
    assert (fact.ttft_us, fact.e2e_us, fact.tpot_us, fact.outcome) == (100_000, 700_000, 20_000, "ok")


def test_the_page_of_a_request_shows_every_event_and_the_facts_figures() -> None:
    view = explain(recorded("s1"), RULES)
    assert len(view.rows) == len(recorded("s1"))
    assert view.requests == tuple(assemble(recorded("s1"), RULES).facts)
    assert sum(part.end_ms - part.start_ms for part in view.segments) == pytest.approx(1000)
    assert {hop.hop for hop in view.hops} == {hop.value for hop in HOPS}
