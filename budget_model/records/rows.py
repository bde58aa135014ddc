"""A row of a table, and the names its columns are known by.

A name is compared in lower case with everything but letters and digits as ``_``,
so that ``Elapsed time`` is ``elapsed_time``. A column of durations or times carries its unit as the
end of its name (``prefill_ms``) or in a column of its own (``duration`` and ``duration_unit``).
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from budget_model.domain.hops import HOPS

UNIT_ENDINGS: dict[str, str] = {
    "ns": "ns",
    "nano": "ns",
    "nanos": "ns",
    "unix_nano": "ns",
    "us": "us",
    "micros": "us",
    "ms": "ms",
    "millis": "ms",
    "s": "s",
    "sec": "s",
    "secs": "s",
    "seconds": "s",
}
"""Endings of a column's name and the unit they stand for."""

HOP_NAMES: dict[str, str] = {hop.value: hop.value for hop in HOPS} | {
    "post": "postprocess",
    "postprocessing": "postprocess",
    "post_processing": "postprocess",
    "queueing": "queue",
    "queue_time": "queue",
    "queue_wait": "queue",
    "prefill_time": "prefill",
    "decode_time": "decode",
    "retrieval_time": "retrieval",
    "network_time": "network",
    "gateway_time": "gateway",
    "client_time": "client",
}
"""Duration columns that hold the path time of a hop."""

DURATION_NAMES: dict[str, str] = HOP_NAMES | {
    "e2e": "e2e",
    "e2e_latency": "e2e",
    "end_to_end": "e2e",
    "end_to_end_latency": "e2e",
    "duration": "e2e",
    "latency": "e2e",
    "request_latency": "e2e",
    "request_duration": "e2e",
    "response_time": "e2e",
    "total_time": "e2e",
    "total_latency": "e2e",
    "elapsed": "e2e",
    "elapsed_time": "e2e",
    "ttft": "ttft",
    "time_to_first_token": "ttft",
    "first_token_latency": "ttft",
    "first_answer": "first_answer",
    "time_to_first_answer": "first_answer",
}
"""Duration columns, without their unit."""

KNOWN_UNITS: dict[str, str] = {"elapsed_time": "s"}
"""Duration columns whose unit is known without being written: BurstGPT's ``Elapsed time``."""

TIME_NAMES: tuple[str, ...] = (
    "started_at",
    "start_time",
    "start",
    "request_start",
    "timestamp",
    "ts",
    "arrived_at",
    "arrival_time",
    "created_at",
)
"""Columns that hold the moment a request started or an event happened; ``time`` only without a unit."""

VALUE_NAMES: dict[str, str] = {
    "request_id": "request_id",
    "requestid": "request_id",
    "request": "request_id",
    "id": "request_id",
    "trace_id": "trace_id",
    "traceid": "trace_id",
    "prompt_tokens": "prompt_tokens",
    "input_tokens": "prompt_tokens",
    "input_length": "prompt_tokens",
    "input_len": "prompt_tokens",
    "context_tokens": "prompt_tokens",
    "contexttokens": "prompt_tokens",
    "request_tokens": "prompt_tokens",
    "num_prefill_tokens": "prompt_tokens",
    "output_tokens": "output_tokens",
    "completion_tokens": "output_tokens",
    "generated_tokens": "output_tokens",
    "generatedtokens": "output_tokens",
    "output_length": "output_tokens",
    "output_len": "output_tokens",
    "response_tokens": "output_tokens",
    "num_decode_tokens": "output_tokens",
    "attempts": "attempts",
    "outcome": "outcome",
    "status": "status",
    "status_code": "status",
    "success": "success",
    "error": "error",
    "error_code": "error",
    "error_message": "error",
    "workload": "workload",
    "workload_class": "workload",
    "tenant": "tenant",
    "tenant_id": "tenant",
    "region": "region",
    "cloud_region": "region",
    "model": "model",
    "model_name": "model",
    "hardware": "hardware",
    "gpu": "hardware",
    "prompt_name": "prompt_name",
    "prompt_version": "prompt_version",
    "environment": "environment",
    "env": "environment",
    "load_test": "load_test",
    "stage": "stage",
    "name": "name",
    "route": "name",
    "endpoint": "name",
}
"""Columns that hold a plain value."""


class Row(msgspec.Struct, frozen=True, gc=False):
    """One row: ``cells`` by column name, and a name made of file and place for a row without an id."""

    cells: dict[str, Any]
    derived_id: str


def plain_name(column: str) -> str:
    """A column's name as it is compared.

    >>> plain_name(" Elapsed time (ms)")
    'elapsed_time_ms'
    """
    return re.sub(r"[^a-z0-9]+", "_", column.lower()).strip("_")


def split_unit(name: str) -> tuple[str, str | None]:
    """A plain name without the unit it ends with, and the unit; None when it ends with none.

    >>> split_unit("start_time_unix_nano")
    ('start_time', 'ns')
    """
    for words in (2, 1):
        parts = name.rsplit("_", words)
        ending = "_".join(parts[1:])
        if len(parts) == words + 1 and ending in UNIT_ENDINGS:
            return parts[0], UNIT_ENDINGS[ending]
    return name, None
