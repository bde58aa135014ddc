from __future__ import annotations

import pytest

from budget_model.records.facts import Flag
from budget_model.records.spans import SpanEvent
from tests.builders import span
from tests.normalise.facts import flags, only_fact


def test_the_roots_own_attributes_are_believed_before_its_resource_and_other_spans() -> None:
    fact = only_fact(
        [
            span("1", "", "request", 0, 9, attributes={"tenant": "north"}, resource={"tenant.id": "host"}),
            span("2", "1", "step", 1, 2, attributes={"tenant.id": "deep"}, resource={"cloud.region": "eu"}),
        ]
    )
    assert (fact.tenant, fact.region) == ("north", "eu")


def test_within_one_span_the_first_name_of_the_order_is_taken() -> None:
    fact = only_fact(
        [span("1", "", "request", 0, 9, attributes={"user.id": "u", "metadata.user_api_key_team_id": "team"})]
    )
    assert fact.tenant == "team"


def test_dimensions_given_on_import_win() -> None:
    resource = {"tailbudget.tenant": "acme", "tenant.id": "other"}
    fact = only_fact(
        [span("1", "", "request", 0, 9, attributes={"tenant.id": "mine"}, resource=resource)],
    )
    assert fact.tenant == "acme"


def test_the_users_own_attribute_names_come_first() -> None:
    spans = [span("1", "", "request", 0, 9, attributes={"tenant.id": "a", "acme.customer": "b"})]
    assert only_fact(spans, toml='[dimensions]\ntenant = ["acme.customer"]').tenant == "b"


def test_service_names_the_workload_when_nothing_better_does() -> None:
    resource = {"service.name": "chat-api"}
    assert only_fact([span("1", "", "request", 0, 9, resource=resource)]).workload == "chat-api"


def test_what_is_not_recorded_is_none() -> None:
    fact = only_fact([span("1", "", "request", 0, 9, attributes={"tenant.id": ""})])
    assert (fact.tenant, fact.workload, fact.model, fact.output_tokens) == (None, None, None, None)


def test_prompts_linked_as_json_are_read() -> None:
    linked = '[{"name": "greeting", "version": "3"}]'
    fact = only_fact([span("1", "", "request", 0, 9, attributes={"mlflow.linkedPrompts": linked})])
    assert (fact.prompt_name, fact.prompt_version) == ("greeting", "3")


def test_half_written_json_in_an_attribute_is_nothing() -> None:
    attributes = {"mlflow.linkedPrompts": "[{", "mlflow.chat.tokenUsage": "{", "output_tokens": "many"}
    fact = only_fact([span("1", "", "request", 0, 9, attributes=attributes)])
    assert (fact.prompt_name, fact.output_tokens) == (None, None)


def test_tokens_of_a_parent_and_its_child_are_counted_once() -> None:
    fact = only_fact(
        [
            span("1", "", "request", 0, 9),
            span("2", "1", "step", 0, 4, attributes={"gen_ai.usage.output_tokens": "30", "input_tokens": 5}),
            span("3", "2", "chat m", 0, 4, attributes={"llm.token_count.completion": 30}),
            span("4", "1", "chat m", 4, 9, attributes={"mlflow.chat.tokenUsage": '{"output_tokens": 12}'}),
        ]
    )
    assert (fact.prompt_tokens, fact.output_tokens) == (5, 42)


def test_a_duration_kept_only_in_an_attribute_is_flagged_and_not_used() -> None:
    fact = only_fact(
        [
            span("1", "", "request", 0, 700_000),
            span("2", "1", "retrieve", 0, 0.015, attributes={"duration_ms": 600_026}),
        ]
    )
    assert flags(fact) == Flag.DURATION_IN_ATTRIBUTE
    assert fact.wall_us[3] == 15


def test_an_attribute_that_agrees_with_the_span_is_not_flagged() -> None:
    fact = only_fact([span("1", "", "request", 0, 100, attributes={"duration_ms": 100.4})])
    assert flags(fact) == Flag(0)


def test_cut_texts_are_flagged() -> None:
    fact = only_fact([span("1", "", "request", 0, 100, attributes={"tailbudget.text_cut": ["prompt"]})])
    assert flags(fact) == Flag.TEXT_CUT


def test_tokens_that_only_an_event_carries_are_read() -> None:
    call = span("1", "", "chat m", 0, 100)
    call.events.append(SpanEvent("metadata", call.start_ns, {"completion_tokens": 15, "prompt_tokens": 269}))
    fact = only_fact([call])
    assert (fact.prompt_tokens, fact.output_tokens) == (269, 15)


@pytest.mark.parametrize("count", [-1, 10**12 + 1, 2**64, 1e300, "1e19", float("nan")])
def test_a_token_count_nobody_can_have_is_not_recorded(count: object) -> None:
    fact = only_fact([span("1", "", "chat m", 0, 9, attributes={"gen_ai.usage.input_tokens": count})])
    assert fact.prompt_tokens is None


def test_a_time_to_first_token_longer_than_any_request_is_not_recorded() -> None:
    attributes = {"gen_ai.latency.time_to_first_token": 1e300}
    assert only_fact([span("1", "", "chat m", 0, 9, attributes=attributes)]).ttft_us is None
