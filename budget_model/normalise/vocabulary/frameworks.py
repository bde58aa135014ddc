"""Span names of LangChain, LlamaIndex, provider clients and agent kits.

LangChain run names: https://python.langchain.com/api_reference/. LlamaIndex instrumentation:
https://docs.llamaindex.ai/en/stable/module_guides/observability/instrumentation/. Monocle span types:
https://github.com/monocle2ai/monocle.
"""

from __future__ import annotations

from budget_model.domain.hops import Hop
from budget_model.normalise.vocabulary.rule import Rule, names

_LANGCHAIN = "LangChain"
_LLAMA = "LlamaIndex"
_CLIENTS = "model clients"
_MONOCLE = "Monocle"


def _monocle(value: str, hop: Hop | None, *, llm_call: bool = False) -> Rule:
    return Rule(hop, attributes=(("span.type", value),), llm_call=llm_call, origin=_MONOCLE)


RULES: tuple[Rule, ...] = (
    _monocle("inference", None, llm_call=True),
    _monocle("inference.framework", None, llm_call=True),
    _monocle("inference.modelapi", None, llm_call=True),
    _monocle("retrieval", Hop.RETRIEVAL),
    Rule(Hop.RETRIEVAL, name="*VectorStoreRetriever*", origin=_LANGCHAIN),
    Rule(Hop.RETRIEVAL, name="*Retriever", origin=_LANGCHAIN),
    Rule(Hop.RETRIEVAL, name="*Reranker*", origin=_LANGCHAIN),
    Rule(Hop.RETRIEVAL, name="*Embeddings", origin=_LANGCHAIN),
    Rule(Hop.POSTPROCESS, name="*OutputParser", origin=_LANGCHAIN),
    Rule(
        None,
        names=names(
            *("ChatOpenAI", "AzureChatOpenAI", "ChatAnthropic", "ChatVertexAI", "ChatBedrock", "ChatOllama"),
            *("ChatGoogleGenerativeAI", "ChatMistralAI", "ChatGroq", "ChatCohere", "ChatLiteLLM"),
            *("OpenAI", "AzureOpenAI", "VLLMOpenAI", "HuggingFacePipeline", "ChatHuggingFace"),
        ),
        llm_call=True,
        origin=_LANGCHAIN,
    ),
    Rule(Hop.RETRIEVAL, name="*Retriever.*retrieve", origin=_LLAMA),
    Rule(Hop.RETRIEVAL, name="*Embedding.*get_*embedding*", origin=_LLAMA),
    Rule(Hop.RETRIEVAL, name="*Rerank*.*postprocess_nodes", origin=_LLAMA),
    Rule(None, name="*LLM.*chat", llm_call=True, origin=_LLAMA),
    Rule(None, name="*LLM.*complete", llm_call=True, origin=_LLAMA),
    Rule(None, name="openai.resources.*completions*", llm_call=True, origin=_CLIENTS),
    Rule(None, name="openai.resources.responses.*", llm_call=True, origin=_CLIENTS),
    Rule(None, name="openai.chat", llm_call=True, origin=_CLIENTS),
    Rule(None, name="openai.completion", llm_call=True, origin=_CLIENTS),
    Rule(Hop.RETRIEVAL, name="openai.embeddings", origin=_CLIENTS),
    Rule(None, name="anthropic.*", llm_call=True, origin=_CLIENTS),
    Rule(None, name="google.genai.models.*generate_content*", llm_call=True, origin=_CLIENTS),
    Rule(None, names=names("chat.completions.create", "messages.create"), llm_call=True, origin=_CLIENTS),
    Rule(None, name="langchain.chat_models.*", llm_call=True, origin=_LANGCHAIN),
)
"""A framework's span around a client's span is one call: the inner one decides the split."""
