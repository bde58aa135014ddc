"""Span names that teams choose by hand, in the words of the hops themselves.

No specification exists for these; they are the plain English names of the work.
"""

from __future__ import annotations

from budget_model.domain.hops import Hop
from budget_model.normalise.vocabulary.rule import Rule, names

_ORIGIN = "usual names"


def _usual(hop: Hop | None, *given: str, llm_call: bool = False) -> Rule:
    return Rule(hop, names=names(*given), llm_call=llm_call, origin=_ORIGIN)


RULES: tuple[Rule, ...] = (
    _usual(
        Hop.CLIENT,
        *("client", "client.prepare", "client.build", "client.render", "client.send", "build_request"),
        *("render", "render_answer", "render.response", "browser", "ui", "frontend", "page.render"),
    ),
    _usual(
        Hop.NETWORK,
        *("network", "transit", "http.send", "tcp.connect", "tls.handshake", "tls", "dns", "dns.lookup"),
        *("network.request", "network.response", "net", "wire", "upload", "download", "transfer"),
    ),
    _usual(
        Hop.GATEWAY,
        *("gateway", "api.gateway", "llm.gateway", "auth", "authenticate", "authentication", "authorize"),
        *("authz", "authn", "check_auth", "verify_token", "validate_api_key", "rate_limit", "ratelimit"),
        *("rate_limiter", "rate.limit.check", "route", "router", "routing", "proxy", "admission"),
        *("quota", "quota.check", "load_balancer", "select_model", "model.router", "gateway.route"),
        *("gateway.auth", "gateway.ratelimit"),
    ),
    _usual(
        Hop.RETRIEVAL,
        *("retrieve", "retrieval", "retriever", "retrieve_docs", "retrieve_documents", "rag.retrieve"),
        *("rerank", "reranker", "reranking", "rag.rerank", "embed", "embedding", "embeddings"),
        *("embed_query", "query.embedding", "vector.search", "vectordb.search", "vectordb.query"),
        *("similarity_search", "hybrid_search", "semantic_search", "knn", "ann.search", "search_docs"),
        *("document.fetch", "fetch_documents", "fetch_docs", "load_documents", "search", "tool.search"),
        *("knowledge_base.search", "context.fetch", "vector_store.query", "vector.query", "grounding"),
    ),
    _usual(
        Hop.QUEUE,
        *("queue", "queued", "queueing", "queue.wait", "wait_in_queue", "time_in_queue", "waiting"),
        *("batch.wait", "batch_queue", "scheduler.wait", "scheduling", "model.queue", "engine.queue"),
        *("llm.queue", "inference.queue", "wait_for_slot"),
    ),
    _usual(
        Hop.PREFILL,
        *("prefill", "model.prefill", "llm.prefill", "engine.prefill", "prompt.processing"),
        *("prompt_eval", "prompt.encode", "inference.prefill", "chunked_prefill"),
    ),
    _usual(
        Hop.DECODE,
        *("decode", "decoding", "model.decode", "llm.decode", "engine.decode", "token.generation"),
        *("inference.decode", "decode_loop", "generate_tokens", "stream_tokens"),
    ),
    _usual(
        Hop.POSTPROCESS,
        *("postprocess", "post_process", "postprocessing", "guardrail", "guardrails"),
        *("output.guardrail", "moderation", "moderate", "content_filter", "safety.check", "format"),
        *("format_response", "formatting", "parse_output", "output.parser", "parse_tool_calls"),
        *("tool_call.parse", "detokenize", "citation", "add_citations"),
    ),
    _usual(
        None,
        *("llm", "llm.call", "call_llm", "llm.request", "llm.chat", "llm.generate", "llm.completion"),
        *("model.call", "model.generate", "chat.completion", "chat.completions", "inference"),
        *("generate_content", "text_completion", "llm.inference", "llm.stream"),
        llm_call=True,
    ),
)
"""Looked at late: an instrumentation that says what its span is knows better than a name does."""
