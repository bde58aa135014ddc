"""An MLflow in memory: the traces a test puts there, and the failures it asks for."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from budget_model.errors import RemoteError
from budget_model.records.mlflow import (
    IN_PROGRESS,
    Experiment,
    History,
    Origin,
    PromptVersion,
    Run,
    TraceDocument,
    TraceHead,
)

START_MS = 1_764_547_200_000
MS = 1_000_000
ADDRESS = "http://mlflow.example:5000"


@dataclass
class FakeTrace:
    """A request with a root of 100 ms, and a queue, a prefill and a decode below it."""

    number: int
    start_ms: int
    state: str = "OK"
    experiment_id: str = "1"
    spans: int = 4
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def trace_id(self) -> str:
        return f"tr-{self.number + 1:032x}"

    def info(self) -> dict[str, Any]:
        location = {"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": self.experiment_id}}
        seconds = self.start_ms / 1000
        return {
            "trace_id": self.trace_id,
            "trace_location": location,
            "request_time": f"{_iso(seconds)}",
            "execution_duration_ms": 100,
            "state": self.state,
            "trace_metadata": {},
            "tags": self.tags,
        }

    def head(self) -> TraceHead:
        info = json.dumps(self.info()).encode()
        return TraceHead(self.trace_id, self.experiment_id, self.start_ms, self.state, info)

    def document(self) -> TraceDocument:
        spans = [self._span(place) for place in range(self.spans)]
        line = json.dumps({"info": self.info(), "data": {"spans": spans}}).encode()
        return TraceDocument(self.head(), line)

    def _span(self, place: int) -> dict[str, Any]:
        names = ("POST /v1/chat/completions", "queue", "prefill", "decode", "late")
        start, end = ((0, 100), (5, 15), (15, 30), (30, 90), (91, 99))[place]
        return {
            "trace_id": _base64(f"{self.number + 1:032x}"),
            "span_id": _base64(f"{self.number * 16 + place + 1:016x}"),
            "parent_span_id": _base64(f"{self.number * 16 + 1:016x}") if place else None,
            "name": names[place],
            "start_time_unix_nano": (self.start_ms + start) * MS,
            "end_time_unix_nano": (self.start_ms + end) * MS,
            "events": [],
            "status": {"code": "STATUS_CODE_OK", "message": ""},
            "attributes": {"mlflow.spanType": '"UNKNOWN"'},
        }


class FakeMlflow:
    """The server, and (as ``open``) what a connection to it yields."""

    def __init__(self, page_size: int = 100) -> None:
        self.traces: dict[str, FakeTrace] = {}
        self.names = {"1": "chat", "2": "batch"}
        self.page_size = page_size
        self.read: list[str] = []
        self.before_page: Callable[[int], None] = lambda number: None
        self.before_document: Callable[[int], None] = lambda number: None
        self.closed = 0
        self.runs: dict[str, Run] = {}
        self.prompts: dict[tuple[str, str], PromptVersion] = {}
        self.before_prompts: Callable[[int], None] = lambda number: None

    def put(self, *traces: FakeTrace) -> None:
        self.traces.update((one.trace_id, one) for one in traces)

    def open(self, uri: str, direct: str | None = None) -> FakeStore:
        return FakeStore(self)


def refuse(number: int) -> Callable[[int], None]:
    """Fails at the ``number``-th call, counted from 0, and ever after."""

    def at(now: int) -> None:
        if now >= number:
            raise RemoteError(f"{ADDRESS} answered 500 to a search for traces")

    return at


class FakeStore:
    def __init__(self, server: FakeMlflow) -> None:
        self._server = server
        self._documents = 0

    @property
    def origin(self) -> Origin:
        return Origin(ADDRESS, "api", ADDRESS, "")

    def experiments(self) -> list[Experiment]:
        return [Experiment(one, name) for one, name in self._server.names.items()]

    def heads(self, experiment_ids: Sequence[str], since_ms: int) -> Iterator[list[TraceHead]]:
        there = [one for one in self._server.traces.values() if one.experiment_id in experiment_ids]
        found = sorted(
            (one for one in there if one.start_ms >= since_ms), key=lambda one: (one.start_ms, one.trace_id)
        )
        size = self._server.page_size
        for number, start in enumerate(range(0, len(found), size)):
            self._server.before_page(number)
            yield [one.head() for one in found[start : start + size]]

    def heads_of(self, trace_ids: Sequence[str]) -> list[TraceHead]:
        return [self._server.traces[one].head() for one in trace_ids if one in self._server.traces]

    def documents(self, heads: Sequence[TraceHead]) -> Iterator[TraceDocument]:
        for head in heads:
            self._server.before_document(self._documents)
            self._documents += 1
            if head.trace_id in self._server.traces:
                self._server.read.append(head.trace_id)
                yield self._server.traces[head.trace_id].document()

    def runs(self, experiment_ids: Sequence[str]) -> Iterator[list[Run]]:
        there = [one for one in self._server.runs.values() if one.experiment_id in experiment_ids]
        size = self._server.page_size
        yield from (there[start : start + size] for start in range(0, len(there), size))

    def history(self, run_id: str, metric: str, limit: int) -> History:
        value = self._server.runs[run_id].metrics.get(metric)
        return History([] if value is None else [(0, value)], False)

    def prompts(self) -> Iterator[list[PromptVersion]]:
        there, size = list(self._server.prompts.values()), self._server.page_size
        self._server.before_prompts(0)
        for number, start in enumerate(range(0, len(there), size), 1):
            yield there[start : start + size]
            self._server.before_prompts(number)

    def close(self) -> None:
        self._server.closed += 1


def some(numbers: range, *, every_ms: int = 1000, **changes: Any) -> list[FakeTrace]:
    """Traces that begin ``every_ms`` one after another."""
    return [FakeTrace(number, START_MS + number * every_ms, **changes) for number in numbers]


def waiting(trace: FakeTrace) -> FakeTrace:
    """The trace while its root has not ended."""
    trace.state = IN_PROGRESS
    return trace


def _base64(hexadecimal: str) -> str:
    return base64.b64encode(bytes.fromhex(hexadecimal)).decode()


def _iso(seconds: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
