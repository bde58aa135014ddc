"""Public trace files give the counts and figures published beside them."""

from __future__ import annotations

from collections import Counter

import pytest

from budget_model.records.spans import Span
from tests.imported import DATA, imported, root_seconds, shape

COUNTS = ("records", "distinct", "traces", "roots", "orphans", "errors")
FILES: dict[str, tuple[int, ...]] = {
    "jaeger/genaiTestTrace.json": (57, 57, 1, 1, 0, 1),
    "jaeger/monocle_test_aws_genai_idp_retrieve_and_generate.jaeger.json": (3, 3, 1, 1, 0, 0),
    "jaeger/monocle_trace1.jaeger.json": (14, 14, 1, 1, 0, 0),
    "jaeger/otlp2jaeger-out.json": (2, 1, 1, 0, 1, 0),
    "jaeger/testTrace.json": (4, 4, 1, 1, 0, 0),
    "otel_sdk/monocle_test_adk_multi_agent.json": (11, 11, 1, 1, 0, 0),
    "otel_sdk/monocle_test_aws_genai_idp_retrieve_and_generate.json": (3, 3, 1, 1, 0, 0),
    "otel_sdk/monocle_test_azure_openai_finish_reason_integratio.json": (8, 4, 4, 0, 4, 1),
    "otel_sdk/monocle_test_crewai_multi_agent.json": (17, 17, 1, 1, 0, 0),
    "otel_sdk/monocle_test_langgraph_multi_agent.json": (43, 43, 1, 1, 0, 0),
    "otel_sdk/monocle_test_litellm_openai_sample.json": (6, 6, 2, 2, 0, 0),
    "otel_sdk/monocle_test_openai_agents_sdk.json": (12, 12, 1, 1, 0, 0),
    "otel_sdk/monocle_trace1.json": (14, 14, 1, 1, 0, 0),
    "span_list/customer_support_escalation.json": (9, 9, 1, 9, 0, 0),
    "span_list/parallel_requests.json": (5, 5, 1, 5, 0, 0),
    "span_list/simple_chain.json": (3, 3, 1, 3, 0, 0),
    "zipkin/messaging-kafka.json": (28, 28, 1, 1, 0, 3),
    "zipkin/skew.json": (4, 4, 1, 1, 0, 0),
    "zipkin/yelp.json": (16, 16, 1, 1, 0, 0),
}
ROOT_SECONDS: dict[str, list[float]] = {
    "jaeger/genaiTestTrace.json": [44],
    "jaeger/monocle_trace1.jaeger.json": [3.46947],
    "jaeger/testTrace.json": [1.1816],
    "otel_sdk/monocle_test_adk_multi_agent.json": [3.61148],
    "otel_sdk/monocle_test_aws_genai_idp_retrieve_and_generate.json": [4.82283],
    "otel_sdk/monocle_test_crewai_multi_agent.json": [7.2801],
    "otel_sdk/monocle_test_langgraph_multi_agent.json": [14.4024],
    "otel_sdk/monocle_test_litellm_openai_sample.json": [1.69613, 2.1589],
    "otel_sdk/monocle_test_openai_agents_sdk.json": [3.50157],
    "otel_sdk/monocle_trace1.json": [3.46947],
    "span_list/simple_chain.json": [2, 2, 2.5],
}
TOKENS = {
    "otel_sdk/monocle_test_adk_multi_agent.json": (834, 66),
    "otel_sdk/monocle_test_azure_openai_finish_reason_integratio.json": (95, 29),
    "otel_sdk/monocle_test_crewai_multi_agent.json": (1871, 361),
    "otel_sdk/monocle_test_langgraph_multi_agent.json": (4233, 471),
    "otel_sdk/monocle_test_litellm_openai_sample.json": (204, 63),
    "otel_sdk/monocle_test_openai_agents_sdk.json": (320, 92),
    "otel_sdk/monocle_trace1.json": (1088, 116),
    "jaeger/genaiTestTrace.json": (8280, 1180),
}


@pytest.mark.parametrize("name", FILES)
def test_a_published_file_has_the_counts_it_was_published_with(name: str) -> None:
    batch = imported(DATA / name)
    assert batch.rejects == []
    assert shape(batch.spans) == dict(zip(COUNTS, FILES[name], strict=True))


@pytest.mark.parametrize("name", ROOT_SECONDS)
def test_a_published_file_has_the_root_durations_it_was_published_with(name: str) -> None:
    assert root_seconds(imported(DATA / name).spans) == pytest.approx(ROOT_SECONDS[name], rel=1e-5)


def token_sums(spans: list[Span]) -> tuple[int, int]:
    total: Counter[str] = Counter()
    for span in {(span.trace_id, span.span_id): span for span in spans}.values():
        for found in [span.attributes, *(event.attributes for event in span.events)]:
            total["in"] += found.get("prompt_tokens", 0) or found.get("gen_ai.usage.input_tokens", 0)
            total["out"] += found.get("completion_tokens", 0) or found.get("gen_ai.usage.output_tokens", 0)
    return total["in"], total["out"]


@pytest.mark.parametrize("name", TOKENS)
def test_token_counts_of_a_published_file_arrive_whole(name: str) -> None:
    assert token_sums(imported(DATA / name).spans) == TOKENS[name]
