"""The events of one request in order, read as a stream: starts, milestones, tokens, end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from budget_model.domain.hops import HOPS, Hop
from budget_model.normalise.fields import count, read_fields
from budget_model.normalise.vocabulary import event_names as names
from budget_model.normalise.vocabulary.dimension_names import TOKENS
from budget_model.records.facts import Outcome
from budget_model.records.spans import Span

Chunk = tuple[int, int]
"""Time in ns and tokens (at least 1) of one chunk."""

_PREFILL, _DECODE, _RETRY, _NOBODY = (
    HOPS.index(hop) for hop in (Hop.PREFILL, Hop.DECODE, Hop.RETRY, Hop.UNATTRIBUTED)
)
_OUTPUT_NAMES = {name: ("output_tokens", rank) for rank, name in enumerate(TOKENS["output_tokens"])}


@dataclass(slots=True)
class Stream:
    """What the events say. ``end`` (last token) is None unless the request finished with output.

    ``stages`` are (start, end, hop index) from ``start`` to ``end`` without gap. ``output_tokens`` is
    the recorded count, else the tokens seen when the stream finished.
    """

    start: int
    outcome: Outcome = Outcome.INCOMPLETE
    end: int | None = None
    first_token: int | None = None
    first_answer: int | None = None
    tokens: int = 0
    output_tokens: int | None = None
    attempts: int = 1
    errors: int = 0
    chunks: list[Chunk] = field(default_factory=list)
    stages: list[tuple[int, int, int]] = field(default_factory=list)


def in_order(events: Iterable[Span]) -> list[Span]:
    """Events by time. At one time: failures, then beginnings, then what happens within, then ends."""
    return sorted(events, key=lambda event: (event.start_ns, _rank(_name(event)), event.span_id))


def _rank(name: str) -> int:
    if name in names.ERRORS:
        return 0
    if name in names.STARTS or name in names.ATTEMPTS:
        return 1
    return 3 if name in names.ENDS else 2


def read_stream(ordered: list[Span]) -> Stream:
    """Read events as ``in_order`` gives them. Tokens of an attempt that failed do not count."""
    starts = [event.start_ns for event in ordered if _name(event) in names.STARTS]
    stream = Stream(start=starts[0] if starts else ordered[0].start_ns)
    last_attempt = _last_attempt(ordered, stream)
    counted = ordered[last_attempt:]
    _read_tokens(counted, stream)
    stream.errors = sum(_name(event) in names.ERRORS for event in ordered)
    usage = [value for event in counted if (value := _recorded_tokens(event)) is not None]
    finish = _finish(counted)
    _close(stream, counted, finish, usage)
    if stream.end is not None:
        _lay_stages(ordered, last_attempt, stream)
    return stream


def _name(event: Span) -> str:
    return event.name.casefold()


def _last_attempt(ordered: list[Span], stream: Stream) -> int:
    """Index of the event that begins the attempt that counted; 0 when there was only one.

    An attempt begins with an attempt event, or with a start event after an error.
    """
    begins = 0
    failed = False
    for index, event in enumerate(ordered):
        name = _name(event)
        if name in names.ERRORS:
            failed = index > 0
        elif failed and (name in names.STARTS or name in names.ATTEMPTS):
            begins, failed = index, False
            stream.attempts += 1
    return begins


def _read_tokens(events: list[Span], stream: Stream) -> None:
    for event in events:
        tokens = _n_tokens(event)
        if tokens < 1:
            continue
        time = event.start_ns
        stream.chunks.append((time, tokens))
        stream.tokens += tokens
        if stream.first_token is None:
            stream.first_token = time
        if stream.first_answer is None and _channel(event) not in names.REASONING_CHANNELS:
            stream.first_answer = time
    if not stream.chunks:
        firsts = [event.start_ns for event in events if _name(event) in names.FIRST_TOKENS]
        stream.first_token = firsts[0] if firsts else None


def _n_tokens(event: Span) -> int:
    """Generated tokens an event carries; closing and accounting events carry none."""
    value = event.attributes.get("n_tokens")
    if not isinstance(value, int) or isinstance(value, bool) or _channel(event) == "role":
        return 0
    name = _name(event)
    return 0 if name in names.STARTS or name in names.ERRORS or name == "usage" else value


def _channel(event: Span) -> str:
    return str(event.attributes.get("channel") or "").casefold()


def _recorded_tokens(event: Span) -> int | None:
    return count(read_fields(event.attributes, _OUTPUT_NAMES), "output_tokens")


def _finish(events: list[Span]) -> Span | None:
    """The event that closed the attempt: the first of end, error and cancel."""
    closing = names.ENDS | names.ERRORS | names.CANCELS
    return next((event for event in events if _name(event) in closing), None)


def _close(stream: Stream, counted: list[Span], finish: Span | None, usage: list[int]) -> None:
    recorded = usage[-1] if usage else None
    if finish is None or _name(finish) not in names.ENDS:
        stream.outcome = _unfinished(finish)
        stream.output_tokens = recorded
        return
    stream.output_tokens = recorded if recorded is not None else (stream.tokens or None)
    if stream.chunks:
        stream.end = stream.chunks[-1][0]
    elif stream.first_token is not None or recorded:
        stream.end = next((e.start_ns for e in counted if _name(e) in names.LAST_TOKENS), finish.start_ns)
    stream.outcome = Outcome.EMPTY if stream.end is None else Outcome.OK
    if stream.outcome is Outcome.EMPTY:
        stream.output_tokens = 0


def _unfinished(finish: Span | None) -> Outcome:
    if finish is None:
        return Outcome.INCOMPLETE
    return Outcome.CANCELLED if _name(finish) in names.CANCELS else Outcome.FAILED


def _lay_stages(ordered: list[Span], last_attempt: int, stream: Stream) -> None:
    """Lay the hops from start to end: failed attempts, milestones, then the tokens."""
    assert stream.end is not None
    time = stream.start
    begin = ordered[last_attempt].start_ns
    if stream.attempts > 1 and begin > time:
        stream.stages.append((time, begin, _RETRY))
        time = begin
    seen_prefill = False
    for event in ordered[last_attempt:]:
        name = _name(event)
        until = min(max(event.start_ns, time), stream.end)
        if name in names.MILESTONES:
            hop = HOPS.index(names.MILESTONES[name])
            seen_prefill = seen_prefill or hop == _PREFILL
        elif name in names.BEGINNINGS:
            hop = _NOBODY
        else:
            continue
        stream.stages.append((time, until, hop))
        time = until
    _lay_tokens(time, seen_prefill, stream)


def _lay_tokens(time: int, seen_prefill: bool, stream: Stream) -> None:
    """What is left after the last milestone: nobody's up to the first token, then decode.

    Without milestones nothing tells network, queue and prefill apart before the first token.
    """
    assert stream.end is not None
    first = stream.first_token
    if first is not None and first > time:
        stream.stages.append((time, first, _PREFILL if seen_prefill else _NOBODY))
        time = first
    stream.stages.append((time, stream.end, _DECODE if first is not None else _NOBODY))
