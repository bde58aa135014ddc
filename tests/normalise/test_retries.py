from __future__ import annotations

from budget_model.records.facts import Flag
from budget_model.records.spans import Span
from tests.builders import span
from tests.normalise.facts import flags, only_fact, path_ms, wall_ms


def root() -> Span:
    return span("1", "", "request", 0, 1000)


def test_a_failed_attempt_and_its_back_off_are_retry_time() -> None:
    fact = only_fact(
        [
            root(),
            span("2", "1", "llm.call", 100, 300, status="ERROR", attributes={"output_tokens": 7}),
            span("3", "2", "prefill", 110, 290),
            span("4", "1", "llm.call", 350, 900, attributes={"output_tokens": 40, "ttft_ms": 100}),
        ]
    )
    assert path_ms(fact) == {"retry": 250, "prefill": 100, "decode": 450, "unattributed": 200}
    assert wall_ms(fact) == {"retry": 200, "prefill": 100, "decode": 450}
    assert (fact.attempts, fact.output_tokens, fact.ttft_us) == (2, 40, 450_000)
    assert flags(fact) == Flag.ERROR_BELOW_OK_ROOT


def test_work_done_while_waiting_for_the_next_attempt_is_not_back_off() -> None:
    fact = only_fact(
        [
            root(),
            span("2", "1", "llm.call", 100, 300, status="ERROR"),
            span("3", "1", "retrieve", 310, 340),
            span("4", "1", "llm.call", 350, 900),
        ]
    )
    assert path_ms(fact) == {"retry": 220, "retrieval": 30, "decode": 550, "unattributed": 200}


def test_a_failure_nobody_repeated_stays_in_its_hop() -> None:
    fact = only_fact([root(), span("2", "1", "retrieve", 100, 300, status="ERROR")])
    assert path_ms(fact) == {"retrieval": 200, "unattributed": 800}
    assert fact.attempts == 1


def test_a_sibling_that_began_before_the_failure_is_no_further_attempt() -> None:
    fact = only_fact(
        [root(), span("2", "1", "retrieve", 100, 300, status="ERROR"), span("3", "1", "retrieve", 200, 400)]
    )
    assert (fact.attempts, path_ms(fact)) == (1, {"retrieval": 300, "unattributed": 700})


def test_a_fallback_to_another_model_is_a_further_attempt() -> None:
    fact = only_fact(
        [
            root(),
            span(*("2", "1", "chat big", 0, 400), status="ERROR", attributes={"gen_ai.request.model": "big"}),
            span("3", "1", "chat small", 400, 1000, attributes={"gen_ai.request.model": "small"}),
        ]
    )
    assert (fact.attempts, fact.model) == (2, "small")
    assert path_ms(fact) == {"retry": 400, "decode": 600}


def test_an_attempt_number_ties_attempts_of_different_names() -> None:
    fact = only_fact(
        [
            root(),
            span("2", "1", "try primary", 0, 300, status="ERROR"),
            span("3", "1", "try secondary", 300, 1000, attributes={"http.request.resend_count": 1}),
        ]
    )
    assert (fact.attempts, path_ms(fact)) == (2, {"retry": 300, "unattributed": 700})


def test_three_attempts_are_counted_and_their_waits_added() -> None:
    fact = only_fact(
        [
            root(),
            span("2", "1", "llm.call", 0, 100, status="ERROR"),
            span("3", "1", "llm.call", 150, 250, status="ERROR"),
            span("4", "1", "llm.call", 350, 1000),
        ]
    )
    assert (fact.attempts, path_ms(fact)) == (3, {"retry": 350, "decode": 650})
    assert wall_ms(fact)["retry"] == 200


def test_thousands_of_failed_attempts_are_one_request() -> None:
    many = 3_000
    tries = [span(f"{i:05d}", "1", "llm.call", 2 * i, 2 * i + 1, status="ERROR") for i in range(many)]
    last = span("last", "1", "llm.call", 2 * many, 2 * many + 100, attributes={"ttft_ms": 40})
    fact = only_fact([span("1", "", "request", 0, 2 * many + 100), *tries, last])
    assert fact.attempts == many + 1
    assert path_ms(fact) == {"retry": 2 * many, "prefill": 40, "decode": 60}
