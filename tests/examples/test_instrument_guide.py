"""What docs/INSTRUMENT.md says of names and tags is what the rules do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from budget_model.domain.hops import MEASURED_HOPS, Hop
from budget_model.normalise.rules import load_rules
from budget_model.normalise.vocabulary import engines, gen_ai
from budget_model.normalise.vocabulary.dimension_names import (
    CANCELLED_NAMES,
    CANCELLED_VALUES,
    DIMENSIONS,
    TOKENS,
)
from tests.builders import span

GUIDE = (Path(__file__).parents[2] / "docs" / "INSTRUMENT.md").read_text(encoding="utf-8")
RULES = load_rules(None)
READ = {name for table in (DIMENSIONS, TOKENS) for names in table.values() for name in names}


def rows(section: str) -> list[list[str]]:
    """Cells of the table in a section, without its heading."""
    text = GUIDE.split(f"## {section}\n")[1].split("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


NAMED = [(name, hop) for hop, names, _ in rows("Name") for name in code(names)]
TAGGED = [(what, name) for what, names in rows("Tag") for name in code(names)]


def test_every_hop_that_a_service_can_name_is_in_the_guide() -> None:
    assert {hop for _, hop in NAMED} == {str(hop) for hop in MEASURED_HOPS} - {"retry"}


@pytest.mark.parametrize(("name", "hop"), NAMED)
def test_a_span_of_that_name_is_of_that_hop(name: str, hop: str) -> None:
    assert RULES.hop_of(span("1", "", name, 0, 1)) == hop


@pytest.mark.parametrize(("what", "name"), TAGGED)
def test_an_attribute_of_that_name_is_read(what: str, name: str) -> None:
    assert name in READ, what


@pytest.mark.parametrize("value", ["RETRIEVER", "EMBEDDING", "RERANKER"])
@pytest.mark.parametrize("attribute", ["mlflow.spanType", "openinference.span.kind"])
def test_types_of_retrieval_are_retrieval(attribute: str, value: str) -> None:
    assert f"`{value}`" in GUIDE
    assert RULES.hop_of(span("1", "", "anything", 0, 1, attributes={attribute: value})) == Hop.RETRIEVAL


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("mlflow.spanType", "LLM"),
        ("mlflow.spanType", "CHAT_MODEL"),
        ("openinference.span.kind", "LLM"),
        ("llm.request.type", "chat"),
        ("gen_ai.operation.name", "chat"),
    ],
)
def test_calls_of_a_model_are_calls(attribute: str, value: str) -> None:
    assert attribute in GUIDE or f"`{value}`" in GUIDE
    assert RULES.decide(span("1", "", "anything", 0, 1, attributes={attribute: value})).llm_call


@pytest.mark.parametrize("name", ["llm.call", "llm_request", "raw_gen_ai_request", "chat some-model"])
def test_names_of_calls_are_calls(name: str) -> None:
    assert RULES.decide(span("1", "", name, 0, 1)).llm_call


@pytest.mark.parametrize("name", ["auth", "router", "redis", "postgres", "proxy_pre_call"])
def test_litellms_own_work_is_gateway(name: str) -> None:
    assert f"`{name}`" in GUIDE
    assert RULES.hop_of(span("1", "", name, 0, 1, service="litellm")) == Hop.GATEWAY


@pytest.mark.parametrize(
    ("name", "hop"),
    [
        ("VectorStoreRetriever", Hop.RETRIEVAL),
        ("OpenAIEmbeddings", Hop.RETRIEVAL),
        ("CohereReranker", Hop.RETRIEVAL),
        ("StrOutputParser", Hop.POSTPROCESS),
    ],
)
def test_langchains_own_names_are_known(name: str, hop: Hop) -> None:
    assert RULES.hop_of(span("1", "", name, 0, 1)) == hop
    assert RULES.decide(span("1", "", "ChatOpenAI", 0, 1)).llm_call


def test_envoys_proxies_are_gateway_and_what_they_forward_is_network() -> None:
    proxy = {"component": "proxy"}
    assert RULES.hop_of(span("1", "", "ingress", 0, 1, attributes=proxy)) == Hop.GATEWAY
    assert RULES.hop_of(span("1", "", "router backend egress", 0, 1, attributes=proxy)) == Hop.NETWORK
    forwarded = span("1", "", "/v1", 0, 1, kind="CLIENT", attributes={"upstream_cluster": "backend"})
    assert RULES.hop_of(forwarded) == Hop.NETWORK


def test_the_other_words_of_the_guide_are_known() -> None:
    assert {"gen_ai.first_token", "first_token", "First Token Stream Event", "mlflow.chunk.item.0"} <= (
        gen_ai.FIRST_TOKEN_EVENTS
    )
    assert "gen_ai.response.time_to_first_chunk" in gen_ai.FIRST_TOKEN_SECONDS
    assert "ttft_ms" in gen_ai.FIRST_TOKEN_MS
    assert "gen_ai.latency.time_in_queue" in engines.QUEUE_SECONDS
    assert "error.type" in CANCELLED_NAMES
    assert {"client disconnected", "cancelled"} <= CANCELLED_VALUES
    assert {"llm.prompt_template.version", "llm.model_name", "traceloop.workflow.name"} <= READ
