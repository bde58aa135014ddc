"""Spans and latency attributes of serving engines.

vLLM: https://docs.vllm.ai/en/latest/examples/online_serving/opentelemetry.html
SGLang: https://docs.sglang.ai/references/production_request_trace.html
Text Generation Inference: https://huggingface.co/docs/text-generation-inference
"""

from __future__ import annotations

from budget_model.domain.hops import Hop
from budget_model.normalise.vocabulary.rule import Rule, names

RULES: tuple[Rule, ...] = (
    Rule(None, names=names("llm_request"), llm_call=True, origin="vLLM"),
    Rule(Hop.QUEUE, names=names("prefill_waiting"), origin="SGLang"),
    Rule(Hop.PREFILL, names=names("prefill_forward", "chunked_prefill"), origin="SGLang"),
    Rule(Hop.DECODE, names=names("decode_loop", "decode_forward"), origin="SGLang"),
    Rule(Hop.GATEWAY, names=names("api_server_dispatch"), origin="SGLang"),
    Rule(None, attributes=(("gen_ai.latency.e2e", "*"),), llm_call=True, origin="vLLM"),
    Rule(None, attributes=(("gen_ai.latency.time_to_first_token", "*"),), llm_call=True, origin="vLLM"),
)
"""What the engines name their spans. vLLM records one span a request, its stages as attributes."""

QUEUE_SECONDS = ("gen_ai.latency.time_in_queue",)
"""Attributes with the seconds a request waited for the scheduler."""

PREFILL_SECONDS = ("gen_ai.latency.time_in_model_prefill",)
"""Attributes with the seconds of prefill; SGLang's begins at dispatch and so holds the queue too."""

DECODE_SECONDS = ("gen_ai.latency.time_in_model_decode",)
"""Attributes with the seconds from first to last token."""
