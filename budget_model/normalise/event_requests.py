"""One request of an event log to a request fact and its token gaps.

Events are spans of no width: ``name`` is the event, attributes carry ``channel``, ``n_tokens`` and
whatever the line had. The request starts with its first start event (else its first event) and its
end-to-end time is the last generated token; the stream's close and its usage record come later and
are not waited for by a reader. Only for a finished request is that time known.
"""

from __future__ import annotations

from collections.abc import Sequence

from budget_model.domain.hops import HOPS, Hop
from budget_model.domain.microseconds import parts_us, round_us
from budget_model.normalise.dimensions import dimensions_of, token_counts
from budget_model.normalise.fields import read_fields
from budget_model.normalise.keys import sealed, trace_key
from budget_model.normalise.rules import Rules
from budget_model.normalise.stream import Stream, in_order, read_stream
from budget_model.normalise.tree import UNATTRIBUTED, Node
from budget_model.records.facts import Flag, Outcome, RequestFact, TokenGap, dimensions_by
from budget_model.records.spans import Span

_PREFILL, _DECODE = HOPS.index(Hop.PREFILL), HOPS.index(Hop.DECODE)


def assemble_events(events: Sequence[Span], rules: Rules) -> tuple[list[RequestFact], list[TokenGap]]:
    """The fact and the gaps of one request from its events in any order."""
    ordered = in_order(events)
    stream = read_stream(ordered)
    fact = _fact(ordered, stream, rules)
    return [fact], _gaps(stream, fact) if fact.outcome == Outcome.OK else []


def _gaps(stream: Stream, fact: RequestFact) -> list[TokenGap]:
    """A chunk of k tokens after a gap g is k steps of g/k; the first chunk's others are steps of 0."""
    gaps: list[TokenGap] = []
    if not stream.chunks:
        return gaps
    previous, tokens = stream.chunks[0]
    if tokens > 1:
        gaps.append(TokenGap(fact.request_id, fact.trace_key, 0, tokens - 1))
    for time, tokens in stream.chunks[1:]:
        step = (2 * (time - previous) + tokens * 1000) // (2 * tokens * 1000)
        gaps.append(TokenGap(fact.request_id, fact.trace_key, step, tokens))
        previous = time
    return gaps


def _fact(ordered: list[Span], stream: Stream, rules: Rules) -> RequestFact:
    first = ordered[0]
    nodes = [Node(span) for span in ordered]
    for node in nodes:
        node.fields = read_fields(node.span.attributes, rules.table)
    known = dimensions_of(nodes, rules).get
    prompt = max(
        (count for node in nodes if (count := token_counts([node]).prompt) is not None), default=None
    )
    e2e_ns = stream.end - stream.start if stream.end is not None else None
    e2e_us = None if e2e_ns is None else round_us(e2e_ns)
    ttft_us = _since(stream.first_token, stream)
    flags = (
        int(Flag.TTFT_EQUALS_E2E) if ttft_us is not None and ttft_us == e2e_us and stream.tokens > 1 else 0
    )
    path, wall = _hops(stream)
    return sealed(
        RequestFact(
            request_id=first.trace_id,
            trace_id=first.trace_id,
            trace_key=trace_key(first.trace_id),
            root_span_id="",
            root_name=known("workload") or "",
            source_kind="events",
            outcome=stream.outcome.value,
            start_us=stream.start // 1000,
            **dimensions_by(known),
            prompt_tokens=prompt,
            output_tokens=stream.output_tokens,
            attempts=stream.attempts,
            span_count=len(ordered),
            error_span_count=stream.errors,
            flags=flags,
            e2e_us=e2e_us,
            ttft_us=ttft_us,
            first_answer_us=_since(stream.first_answer, stream),
            generation_us=_generation(stream),
            tpot_us=_tpot(stream),
            path_us=path,
            wall_us=wall,
            digest=0,
        )
    )


def _since(time: int | None, stream: Stream) -> int | None:
    return None if time is None else round_us(time - stream.start)


def _generation(stream: Stream) -> int | None:
    if stream.end is None or stream.first_token is None:
        return None
    return round_us(stream.end - stream.first_token)


def _tpot(stream: Stream) -> int | None:
    """(last - first) / (n - 1) in us; not defined below two tokens or without an end."""
    steps = (stream.output_tokens or 0) - 1
    if stream.end is None or stream.first_token is None or steps < 1:
        return None
    return (2 * (stream.end - stream.first_token) + steps * 1000) // (2 * steps * 1000)


def _hops(stream: Stream) -> tuple[list[int | None], list[int | None]]:
    """Times between milestones by hop. They follow one another, so path and wall are the same."""
    path: list[int | None] = [None] * len(HOPS)
    if stream.end is None:
        return path, path.copy()
    parts = [0] * len(HOPS)
    seen = set()
    for start, end, hop in stream.stages:
        parts[hop] += end - start
        seen.add(hop)
    times = parts_us(parts)
    path = [times[hop] if hop in seen or hop == UNATTRIBUTED else None for hop in range(len(HOPS))]
    wall: list[int | None] = [*path[:UNATTRIBUTED], None]
    return path, wall
