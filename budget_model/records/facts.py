"""What is known of one request once its records are put together."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntFlag, StrEnum
from typing import TypedDict, cast

import msgspec


class Outcome(StrEnum):
    """How a request ended. Latency percentiles are over ``ok`` alone."""

    OK = "ok"
    EMPTY = "empty"
    FAILED = "failed"
    INCOMPLETE = "incomplete"
    CANCELLED = "cancelled"


class Flag(IntFlag):
    """What is remarkable about a request's record. Flags never change a figure; they explain it."""

    CLOCK_SKEW = 1
    NEGATIVE_DURATION = 2
    UNFINISHED_SPAN = 4
    ORPHAN_SPAN = 8
    SEVERAL_ROOTS = 16
    ERROR_BELOW_OK_ROOT = 32
    TTFT_EQUALS_E2E = 64
    LLM_CALL_NOT_SPLIT = 128
    NO_TIME = 256
    ZONE_ASSUMED = 512
    DURATION_IN_ATTRIBUTE = 1024
    CONFLICTING_SPANS = 2048
    TEXT_CUT = 4096
    ASYNC_WORK = 8192
    CHILD_OUTLIVES_PARENT = 16384
    SKEW_CORRECTED = 32768


class Dimensions(TypedDict):
    """What figures can be split by, as far as it is known."""

    workload: str | None
    tenant: str | None
    region: str | None
    model: str | None
    hardware: str | None
    prompt_name: str | None
    prompt_version: str | None
    environment: str | None
    load_test: str | None
    stage: str | None


def dimensions_by(known: Callable[[str], str | None]) -> Dimensions:
    """All dimensions, each asked for by its name."""
    return cast(Dimensions, {name: known(name) for name in Dimensions.__annotations__})


class RequestFact(msgspec.Struct):
    """One request. Durations are whole microseconds; None is "not recorded", never zero.

    ``path_us`` and ``wall_us`` follow ``domain.hops.HOPS`` (10 entries; the wall time of
    ``unattributed`` is always None). The path times that are not None add to ``e2e_us`` exactly.
    ``trace_key`` groups the requests rebuilt together: all requests of one trace share it.
    ``digest`` is a 64-bit fingerprint of the content, to tell a repeat from a conflict.
    """

    request_id: str
    trace_id: str
    trace_key: int
    root_span_id: str
    root_name: str
    source_kind: str  # "spans", "events" or "row"
    outcome: str
    start_us: int | None
    workload: str | None
    tenant: str | None
    region: str | None
    model: str | None
    hardware: str | None
    prompt_name: str | None
    prompt_version: str | None
    environment: str | None
    load_test: str | None
    stage: str | None
    prompt_tokens: int | None
    output_tokens: int | None
    attempts: int
    span_count: int
    error_span_count: int
    flags: int
    e2e_us: int | None
    ttft_us: int | None
    first_answer_us: int | None
    generation_us: int | None
    tpot_us: int | None
    path_us: list[int | None]
    wall_us: list[int | None]
    digest: int


class TokenGap(msgspec.Struct, frozen=True, gc=False):
    """``tokens`` token steps of ``gap_us`` each inside one request's stream."""

    request_id: str
    trace_key: int
    gap_us: int
    tokens: int
