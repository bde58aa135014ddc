"""A log with one row a request: hop columns are path times, and they add to the end-to-end time.

Without an end-to-end column the hops' sum is it. What it exceeds them by is ``unattributed``; hops
that exceed it by more than rounding explains are a contradiction, and the row is refused. Path
times are whole microseconds, rounded so that they add to the rounded end-to-end time exactly.
TPOT = (e2e - TTFT) / (output tokens - 1), for two tokens or more.
"""

from __future__ import annotations

from collections.abc import Iterator

from budget_model.domain.hops import HOPS
from budget_model.domain.microseconds import round_us
from budget_model.normalise.keys import sealed, trace_key
from budget_model.normalise.outcomes import outcome_of
from budget_model.normalise.path_times import partition
from budget_model.normalise.row_reading import RowReading
from budget_model.records.facts import Flag, Outcome, RequestFact, dimensions_by
from budget_model.records.raw import RawRecord, ReadOptions
from budget_model.records.rejects import BadRecordError, Reject, Warned

_NS_PER_US = 1000
_HOP_NAMES = tuple(hop.value for hop in HOPS)


def normalise(raw: RawRecord, options: ReadOptions) -> Iterator[RequestFact | Reject | Warned]:
    """The request of one row, after what is worth saying about it; or the row's refusal.

    A request of a table is never rebuilt from spans, so it shares its ``trace_key`` with no trace.
    """
    row = RowReading(raw, options.max_text_chars)
    try:
        fact = _fact(row)
    except BadRecordError as error:
        yield error.at(raw.where)
        return
    yield from row.warnings
    yield fact


def _fact(row: RowReading) -> RequestFact:
    request_id = row.text("request_id") or row.text("trace_id") or row.derived_id
    e2e_us, path_us = partition([row.duration(name) for name in _HOP_NAMES], row.duration("e2e"))
    output_tokens = row.count("output_tokens")
    outcome = _outcome(row, output_tokens)
    ttft_us = _first_token(row, "ttft", e2e_us, outcome)
    generation_us, tpot_us = _generation(row, e2e_us, ttft_us, output_tokens)
    first_answer_us = _first_token(row, "first_answer", e2e_us, outcome)
    start = row.start()
    return sealed(
        RequestFact(
            request_id=request_id,
            trace_id=row.text("trace_id") or request_id,
            trace_key=trace_key(f"row {request_id}"),
            root_span_id="",
            root_name=row.text("name") or "",
            source_kind="row",
            outcome=outcome,
            start_us=None if start is None else start.time_ns // _NS_PER_US,
            **dimensions_by(row.text),
            prompt_tokens=row.count("prompt_tokens"),
            output_tokens=output_tokens,
            attempts=row.count("attempts") or 1,
            span_count=0,
            error_span_count=0,
            flags=int(row.flags),
            e2e_us=e2e_us,
            ttft_us=ttft_us,
            first_answer_us=first_answer_us,
            generation_us=generation_us,
            tpot_us=tpot_us,
            path_us=path_us,
            wall_us=[*path_us[:-1], None],
            digest=0,
        )
    )


def _outcome(row: RowReading, output_tokens: int | None) -> Outcome:
    return outcome_of({name: row.cells[column] for name, column in row.plan.values.items()}, output_tokens)


def _first_token(row: RowReading, meaning: str, e2e_us: int | None, outcome: Outcome) -> int | None:
    """Whole microseconds; None when not recorded, which is also what a time of 0 means."""
    time_ns = row.duration(meaning)
    if time_ns is None:
        return None
    time_us = round_us(time_ns)
    if time_us == 0:
        row.warn("first-token-zero", f"{meaning} of 0 is taken as not recorded")
        return None
    if e2e_us is None or time_us <= e2e_us:
        return time_us
    if outcome in (Outcome.OK, Outcome.EMPTY):
        raise BadRecordError(f"{time_us} us", f"{meaning} must not exceed the end-to-end time of {e2e_us} us")
    row.warn("first-token-late", f"{meaning} of a request that did not finish exceeds its time; not used")
    return None


def _generation(
    row: RowReading, e2e_us: int | None, ttft_us: int | None, tokens: int | None
) -> tuple[int | None, int | None]:
    """First to last token, and the mean time of one; undefined below two tokens.

    A first token at the very end of several was not measured where it was said to be.
    """
    if e2e_us is None or ttft_us is None or tokens is None or tokens < 2:
        return None, None
    if ttft_us == e2e_us:
        row.flags |= Flag.TTFT_EQUALS_E2E
        row.warn("ttft-equals-e2e", "the first token is timed at the end of the request; TPOT is not defined")
        return None, None
    generation_us, steps = e2e_us - ttft_us, tokens - 1
    return generation_us, (2 * generation_us + steps) // (2 * steps)
