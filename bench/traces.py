"""Write OTLP JSON lines of a plain LLM service: the same seed gives the same bytes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

SPANS_PER_TRACE = 9
START_NS = 1_764_547_200_000_000_000
GAP_NS = 12_000_000

# name, kind, parent's place in this list, start and end as shares of the request
SHAPE: tuple[tuple[str, int, int, float, float], ...] = (
    ("POST /v1/chat/completions", 3, -1, 0.0, 1.0),
    ("gateway", 2, 0, 0.02, 0.98),
    ("gateway.route", 1, 1, 0.02, 0.04),
    ("retrieval.search", 3, 1, 0.05, 0.12),
    ("retrieval.rerank", 1, 1, 0.12, 0.15),
    ("llm_request", 2, 1, 0.16, 0.95),
    ("prefill", 1, 5, 0.22, 0.38),
    ("decode", 1, 5, 0.38, 0.94),
    ("postprocess.moderation", 1, 1, 0.95, 0.97),
)


def write_traces(path: Path, traces: int, seed: int) -> int:
    """Write ``traces`` traces of 9 spans, one trace a line; the answer is the size in bytes."""
    rng = np.random.default_rng(seed)
    durations_ns = (rng.lognormal(7.2, 0.6, traces) * 1e6).astype(np.int64)
    prompts = rng.lognormal(6.5, 1.0, traces).astype(np.int64) + 1
    answers = rng.lognormal(5.0, 0.8, traces).astype(np.int64) + 2
    tenants = rng.integers(0, 8, traces)
    encode = msgspec.json.Encoder().encode
    with path.open("wb") as file:
        for index in range(traces):
            line = _trace(
                index, int(durations_ns[index]), int(prompts[index]), int(answers[index]), int(tenants[index])
            )
            file.write(encode(line) + b"\n")
    return path.stat().st_size


def _trace(index: int, duration_ns: int, prompt: int, answer: int, tenant: int) -> dict[str, object]:
    spans = [_span(index, place, duration_ns, prompt, answer) for place in range(SPANS_PER_TRACE)]
    resource = [
        _text("service.name", "assistant"),
        _text("host.name", f"node-{index % 16}"),
        _text("tenant.id", f"tenant-{tenant}"),
        _text("cloud.region", ("eu-west-1", "us-east-1", "ap-south-1")[index % 3]),
    ]
    scope = {"scope": {"name": "bench"}, "spans": spans}
    return {"resourceSpans": [{"resource": {"attributes": resource}, "scopeSpans": [scope]}]}


def _span(index: int, place: int, duration_ns: int, prompt: int, answer: int) -> dict[str, object]:
    name, kind, parent, begin, end = SHAPE[place]
    start_ns = START_NS + index * GAP_NS
    span: dict[str, object] = {
        "traceId": f"{index + 1:032x}",
        "spanId": _span_id(index, place),
        "parentSpanId": _span_id(index, parent) if parent >= 0 else "",
        "name": name,
        "kind": kind,
        "startTimeUnixNano": str(start_ns + int(duration_ns * begin)),
        "endTimeUnixNano": str(start_ns + int(duration_ns * end)),
        "status": {},
    }
    if name == "llm_request":
        span["attributes"] = [
            _text("gen_ai.request.model", "llama-3.1-70b"),
            {"key": "gen_ai.usage.input_tokens", "value": {"intValue": str(prompt)}},
            {"key": "gen_ai.usage.output_tokens", "value": {"intValue": str(answer)}},
            {"key": "gen_ai.latency.time_to_first_token", "value": {"doubleValue": duration_ns * 0.22e-9}},
        ]
    else:
        span["attributes"] = [
            _text("component", name.split(".")[0]),
            _text("deployment.environment.name", "prod"),
        ]
    return span


def _span_id(index: int, place: int) -> str:
    return f"{(index + 1) * 16 + place:016x}"


def _text(key: str, value: str) -> dict[str, object]:
    return {"key": key, "value": {"stringValue": value}}
