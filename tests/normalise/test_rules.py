from __future__ import annotations

import pickle
from typing import Any

import pytest

from budget_model.domain.hops import Hop
from budget_model.errors import MappingError
from budget_model.normalise.rule_file import make_rule
from budget_model.normalise.rules import load_rules
from tests.builders import span

RULES = load_rules(None)


def hop_of(name: str, toml: str | None = None, **given: Any) -> Hop | None:
    return (load_rules(toml) if toml else RULES).hop_of(span("1", "", name, 0, 1, **given))


@pytest.mark.parametrize(
    ("name", "hop"),
    [
        ("retrieve", Hop.RETRIEVAL),
        ("Vector.Search", Hop.RETRIEVAL),
        ("vector_search", Hop.RETRIEVAL),
        ("rerank", Hop.RETRIEVAL),
        ("auth", Hop.GATEWAY),
        ("rate limit", Hop.GATEWAY),
        ("queue", Hop.QUEUE),
        ("prefill_forward", Hop.PREFILL),
        ("decode", Hop.DECODE),
        ("guardrail", Hop.POSTPROCESS),
        ("render", Hop.CLIENT),
        ("VectorStoreRetriever", Hop.RETRIEVAL),
        ("StrOutputParser", Hop.POSTPROCESS),
        ("retrieval docs-index", Hop.RETRIEVAL),
        ("litellm_request", Hop.GATEWAY),
        ("request", None),
        ("post", None),
        ("execute_tool search", None),
    ],
)
def test_usual_names_are_known_in_any_spelling(name: str, hop: Hop | None) -> None:
    assert hop_of(name) is hop


@pytest.mark.parametrize(
    ("attributes", "hop"),
    [
        ({"openinference.span.kind": "RETRIEVER"}, Hop.RETRIEVAL),
        ({"mlflow.spanType": "RETRIEVER"}, Hop.RETRIEVAL),
        ({"mlflow.spanType": '"RETRIEVER"'}, Hop.RETRIEVAL),
        ({"gen_ai.operation.name": "embeddings"}, Hop.RETRIEVAL),
        ({"llm.request.type": "rerank"}, Hop.RETRIEVAL),
        ({"component": "proxy"}, Hop.GATEWAY),
        ({"component": "other"}, None),
    ],
)
def test_what_an_instrumentation_says_decides(attributes: dict[str, str], hop: Hop | None) -> None:
    assert hop_of("x", attributes=attributes) is hop


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("chat gpt-4", {}),
        ("x", {"gen_ai.operation.name": "chat"}),
        ("x", {"openinference.span.kind": "LLM"}),
        ("x", {"mlflow.spanType": "CHAT_MODEL"}),
        ("raw_gen_ai_request", {}),
        ("ChatOpenAI", {}),
        ("openai.resources.chat.completions.AsyncCompletions.create", {}),
        ("llm_request", {}),
        ("x", {"gen_ai.latency.e2e": 1.5}),
    ],
)
def test_calls_of_a_model_are_recognised(name: str, attributes: dict[str, Any]) -> None:
    decision = RULES.decide(span("1", "", name, 0, 1, attributes=attributes))
    assert decision.llm_call


def test_the_users_first_matching_rule_wins_over_later_and_built_in_ones() -> None:
    toml = """
        [[hop]]
        name = "retrieve"
        service = "gateway"
        hop = "gateway"
        [[hop]]
        name = "RETR*"
        hop = "postprocess"
    """
    assert hop_of("retrieve", toml, service="gateway") is Hop.GATEWAY
    assert hop_of("retrieve", toml, service="other") is Hop.POSTPROCESS
    assert hop_of("decode", toml) is Hop.DECODE


def test_a_rule_can_ask_for_attributes_of_span_or_resource_and_for_the_kind() -> None:
    toml = """
        [[hop]]
        attributes = { "team.kind" = "search", "index" = "*" }
        kind = "CLIENT"
        hop = "retrieval"
    """
    full = {"team.kind": "Search", "index": 3}
    assert hop_of("x", toml, kind="CLIENT", attributes=full) is Hop.RETRIEVAL
    assert hop_of("x", toml, kind="CLIENT", attributes={"index": 3}, resource={"team.kind": "search"})
    assert hop_of("x", toml, kind="SERVER", attributes=full) is None
    assert hop_of("x", toml, kind="CLIENT", attributes={"team.kind": "search"}) is None


def test_a_user_can_leave_a_known_name_to_its_parent_or_make_a_call_of_it() -> None:
    toml = '[[hop]]\nname = "retrieve"\nhop = "none"\n[[hop]]\nname = "ask"\nhop = "llm call"'
    assert hop_of("retrieve", toml) is None
    assert load_rules(toml).decide(span("1", "", "ask", 0, 1)).llm_call


def test_spans_that_differ_only_in_what_rules_see_are_decided_apart() -> None:
    rules = load_rules(None)
    assert rules.hop_of(span("1", "", "x", 0, 1)) is None
    assert rules.hop_of(span("1", "", "x", 0, 1, attributes={"mlflow.spanType": "PARSER"})) is Hop.POSTPROCESS
    assert rules.hop_of(span("1", "", "x", 0, 1)) is None


def test_rules_read_back_from_their_own_text_are_the_same() -> None:
    toml = """
        [[hop]]
        name = 'a "quoted" \\ name é *'
        attributes = { "k.ä" = "v", n = 3 }
        hop = "llm call"
        [dimensions]
        tenant = ["acme.customer"]
    """
    rules = load_rules(toml)
    again = load_rules(rules.to_toml())
    assert again.own == rules.own
    assert again.dimensions == rules.dimensions
    assert again.fingerprint == rules.fingerprint


def test_rules_survive_the_way_to_another_process() -> None:
    rules = load_rules('[[hop]]\nname = "x*"\nhop = "queue"')
    again = pickle.loads(pickle.dumps(rules))
    assert again.fingerprint == rules.fingerprint
    assert again.hop_of(span("1", "", "xyz", 0, 1)) is Hop.QUEUE


def test_a_changed_rule_changes_the_fingerprint_and_goes_where_it_is_put() -> None:
    rules = load_rules('[[hop]]\nname = "x"\nhop = "queue"')
    more = rules.with_user_rule(make_rule({"name": "x", "hop": "client"}))
    assert more.fingerprint != rules.fingerprint
    assert more.hop_of(span("1", "", "x", 0, 1)) is Hop.CLIENT
    assert more.without_user_rule(0).fingerprint == rules.fingerprint


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("[[hop]", "not TOML"),
        ("[hop]\nname = 'x'", "[[hop]]"),
        ("[[hop]]\nname = 'x'\nhop = 'warp'", "'warp'"),
        ("[[hop]]\nname = 'x'\nhop = 'unattributed'", "'unattributed'"),
        ("[[hop]]\nname = 'x'", "None"),
        ("[[hop]]\nhop = 'queue'", "no condition"),
        ("[[hop]]\nnam = 'x'\nhop = 'queue'", "'nam'"),
        ("[[hop]]\nname = 3\nhop = 'queue'", "3"),
        ("[[hop]]\nkind = 'client'\nhop = 'queue'", "'client'"),
        ("[[hop]]\nattributes = ['x']\nhop = 'queue'", "['x']"),
        ("[[hop]]\nattributes = { x = [1] }\nhop = 'queue'", "[1]"),
        ("[dimensions]\ntenantt = ['x']", "'tenantt'"),
        ("[dimensions]\ntenant = 'x'", "'x'"),
        ("[dimension]\ntenant = ['x']", "'dimension'"),
    ],
)
def test_a_rule_that_cannot_be_used_is_refused_with_its_value(toml: str, said: str) -> None:
    with pytest.raises(MappingError) as refused:
        load_rules(toml)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


STAGES = [("queue", Hop.QUEUE), ("prefill", Hop.PREFILL), ("decode", Hop.DECODE)]


@pytest.mark.parametrize(("name", "hop"), STAGES)
def test_a_stage_by_name_stays_one_where_mlflow_takes_it_for_a_model_call(name: str, hop: Hop) -> None:
    stage = span("1", "", name, 0, 1, attributes={"mlflow.spanType": "LLM", "gen_ai.usage.input_tokens": 100})
    assert RULES.hop_of(stage) is hop
