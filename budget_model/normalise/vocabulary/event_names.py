"""Names of events in request logs. No standard exists; these are the words in use."""

from __future__ import annotations

from budget_model.domain.hops import Hop

STARTS = frozenset({"request_start", "request_sent", "request", "start", "sent", "request_received"})
"""The request begins; a later one begins another attempt when the attempt before failed."""

ENDS = frozenset(
    {"done", "end", "finished", "complete", "completed", "stream_end", "request_end", "last_token"}
)
"""The stream closed as it should."""

LAST_TOKENS = frozenset({"last_token", "last_chunk"})
"""The last token came; its time is the end where chunks are not logged."""

ERRORS = frozenset({"error", "failed", "failure", "timeout", "exception"})
"""The request, or the attempt so far, failed."""

CANCELS = frozenset({"cancel", "cancelled", "canceled", "client_disconnect", "disconnected", "abort"})
"""The caller gave up."""

ATTEMPTS = frozenset({"attempt", "retry", "attempt_start", "retry_start", "fallback"})
"""Another attempt begins."""

FIRST_TOKENS = frozenset({"first_token", "first_chunk"})
"""The first token where chunks are not logged."""

REASONING_CHANNELS = frozenset({"reasoning", "reasoning_content", "thinking", "thought", "analysis"})
"""Channels whose tokens are generated but are no answer."""

MILESTONES: dict[str, Hop] = {
    "client_ready": Hop.CLIENT,
    "gateway_in": Hop.NETWORK,
    "gateway_received": Hop.NETWORK,
    "gateway_out": Hop.GATEWAY,
    "auth_done": Hop.GATEWAY,
    "gateway_done": Hop.GATEWAY,
    "rate_limit_done": Hop.GATEWAY,
    "routed": Hop.GATEWAY,
    "retrieval_done": Hop.RETRIEVAL,
    "retrieval_end": Hop.RETRIEVAL,
    "rerank_done": Hop.RETRIEVAL,
    "embed_done": Hop.RETRIEVAL,
    "dequeued": Hop.QUEUE,
    "queue_done": Hop.QUEUE,
    "queue_end": Hop.QUEUE,
    "scheduled": Hop.QUEUE,
    "prefill_start": Hop.QUEUE,
    "prefill_done": Hop.PREFILL,
    "prefill_end": Hop.PREFILL,
    "decode_done": Hop.DECODE,
    "decode_end": Hop.DECODE,
}
"""Events that end a stage: the time since the event before belongs to the hop."""

BEGINNINGS = frozenset(
    {"retrieval_start", "rerank_start", "embed_start", "queued", "queue_start", "queue", "enqueued"}
)
"""Events that begin a stage: the time since the event before is nobody's."""
