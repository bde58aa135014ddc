"""Experiments and traces over MLflow's REST API (version 3 of traces)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

import msgspec

from budget_model.errors import RemoteRefusalError
from budget_model.records.mlflow import Experiment, TraceDocument, TraceHead
from budget_model.sources.mlflow.http import MlflowApi
from budget_model.sources.mlflow.links_api import LinkedPrompts
from budget_model.sources.mlflow.pages import Answer, Page, ahead, decoded, pages

Item = TypeVar("Item")

HEADS_AT_ONCE = 500
"""The most a server gives in one page."""

TRACES_AT_ONCE = 50
"""Ids in one question: few enough to keep every worker of a server busy until the end of a page, and to
fit into an address of a few thousand characters."""

_EXPERIMENTS = "/api/2.0/mlflow/experiments/search"
_TRACES = "/api/3.0/mlflow/traces"
_SPANS_FILE = "/ajax-api/3.0/mlflow/get-trace-artifact"

_LOCATION_TAG = "mlflow.trace.spansLocation"
_ANSWERED = frozenset({"TRACKING_STORE", "ARCHIVE_REPO"})
"""Where spans lie that a server gives with their trace; others lie in a file beside it."""


class _Experiment(msgspec.Struct):
    experiment_id: str
    name: str = ""


class _Experiments(Page):
    experiments: list[_Experiment] = msgspec.field(default_factory=list)


class _ExperimentOf(msgspec.Struct):
    experiment_id: str = ""


class _Location(msgspec.Struct):
    mlflow_experiment: _ExperimentOf | None = None


class _Info(msgspec.Struct):
    trace_id: str
    request_time: datetime
    state: str = ""
    trace_location: _Location | None = None


class _Infos(Page):
    traces: list[msgspec.Raw] = msgspec.field(default_factory=list)


class _InfosById(Page):
    trace_infos: list[msgspec.Raw] = msgspec.field(default_factory=list)


class _Identity(msgspec.Struct):
    trace_id: str


class _Trace(msgspec.Struct):
    trace_info: _Identity


class _Tagged(msgspec.Struct):
    tags: Any = None


class _WithSpans(msgspec.Struct):
    spans: msgspec.Raw


class _Traces(Page):
    traces: list[msgspec.Raw] = msgspec.field(default_factory=list)


class TracesByApi:
    """Traces of one server."""

    def __init__(self, api: MlflowApi) -> None:
        self._api = api
        self._address = api.base_url
        self._links = LinkedPrompts(api)
        self._files = False

    def experiments(self) -> list[Experiment]:
        """Experiments that are not deleted."""

        def ask(token: str) -> _Experiments:
            body = {"max_results": 1000, "view_type": "ACTIVE_ONLY", "page_token": token}
            return self._decoded(self._api.post(_EXPERIMENTS, body), _Experiments)

        found = (one for page in pages(ask, self._address) for one in page.experiments)
        return [Experiment(one.experiment_id, one.name) for one in found]

    def heads(self, experiment_ids: Sequence[str], since_ms: int) -> Iterator[list[TraceHead]]:
        """Pages of traces that began at ``since_ms`` or later, the earliest first."""
        if not experiment_ids:
            return

        def ask(token: str) -> _Infos:
            return self._decoded(
                self._api.post(f"{_TRACES}/search", _search(experiment_ids, since_ms, token)), _Infos
            )

        for page in ahead(pages(ask, self._address)):
            if page.traces:
                yield self._links.told([self._head(info) for info in page.traces], experiment_ids, since_ms)

    def heads_of(self, trace_ids: Sequence[str]) -> list[TraceHead]:
        """Those of the traces that still exist."""
        found: list[TraceHead] = []
        for ids in _chunks(trace_ids, HEADS_AT_ONCE):
            content = self._api.post(f"{_TRACES}/batchGetInfos", {"trace_ids": ids})
            found += [self._head(info) for info in self._decoded(content, _InfosById).trace_infos]
        since_ms = min((head.start_ms for head in found), default=0)
        return self._links.told(found, [head.experiment_id for head in found], since_ms)

    def documents(self, heads: Sequence[TraceHead]) -> Iterator[TraceDocument]:
        """The traces with their spans, several answers asked for at a time."""
        by_id = {head.trace_id: head for head in heads}
        at_once = self._api.limits.at_once
        with ThreadPoolExecutor(at_once, thread_name_prefix="mlflow") as pool:
            chunks = _chunks(list(by_id.values()), TRACES_AT_ONCE)
            waiting = deque(pool.submit(self._lines, some) for some in islice(chunks, at_once))
            while waiting:
                yield from self._taken(waiting.popleft(), by_id)
                waiting += [pool.submit(self._lines, some) for some in islice(chunks, 1)]

    def _taken(self, answer: Future[list[bytes]], by_id: dict[str, TraceHead]) -> Iterator[TraceDocument]:
        for line in answer.result():
            trace_id = self._decoded(line, _Trace).trace_info.trace_id
            if trace_id in self._links.added:
                line = _joined(by_id[trace_id], bytes(self._decoded(line, _WithSpans).spans))
            if trace_id in by_id:
                yield TraceDocument(by_id[trace_id], line)

    def _lines(self, heads: list[TraceHead]) -> list[bytes]:
        """Traces as lines; a server refuses them all when the spans of one lie in a file: then they part."""
        if not self._files:
            try:
                return self._answered(heads)
            except RemoteRefusalError:
                if all(map(self._is_answered, heads)):
                    raise
                self._files = True
        answered = [head for head in heads if self._is_answered(head)]
        apart = [head for head in heads if not self._is_answered(head)]
        return (self._answered(answered) if answered else []) + [self._with_file(head) for head in apart]

    def _answered(self, heads: list[TraceHead]) -> list[bytes]:
        content = self._api.get(f"{_TRACES}/batchGet", {"trace_ids": [head.trace_id for head in heads]})
        return [bytes(trace).replace(b"\n", b" ") for trace in self._decoded(content, _Traces).traces]

    def _with_file(self, head: TraceHead) -> bytes:
        """The trace with the spans of its file; without any when the server has no such file."""
        try:
            content = self._api.get(_SPANS_FILE, {"request_id": head.trace_id})
            spans = bytes(self._decoded(content, _WithSpans).spans)
        except RemoteRefusalError:
            spans = b"[]"
        return _joined(head, spans)

    def _is_answered(self, head: TraceHead) -> bool:
        tags = self._decoded(head.info, _Tagged).tags
        return isinstance(tags, dict) and tags.get(_LOCATION_TAG) in _ANSWERED

    def _head(self, info: msgspec.Raw) -> TraceHead:
        known = self._decoded(bytes(info), _Info)
        inner = known.trace_location and known.trace_location.mlflow_experiment
        start_ms = round(known.request_time.timestamp() * 1000)
        return TraceHead(
            known.trace_id, inner.experiment_id if inner else "", start_ms, known.state, bytes(info)
        )

    def _decoded(self, content: bytes, kind: type[Answer]) -> Answer:
        return decoded(content, kind, self._address)


def _joined(head: TraceHead, spans: bytes) -> bytes:
    return b'{"trace_info":%b,"spans":%b}' % (head.info.replace(b"\n", b" "), spans.replace(b"\n", b" "))


def _search(experiment_ids: Sequence[str], since_ms: int, token: str) -> dict[str, Any]:
    locations = [
        {"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": one}} for one in experiment_ids
    ]
    return {
        "locations": locations,
        "filter": f"timestamp_ms >= {since_ms:d}",
        "order_by": ["timestamp_ms ASC"],
        "max_results": HEADS_AT_ONCE,
        "page_token": token,
    }


def _chunks(items: Sequence[Item], size: int) -> Iterator[list[Item]]:
    for start in range(0, len(items), size):
        yield list(items[start : start + size])
