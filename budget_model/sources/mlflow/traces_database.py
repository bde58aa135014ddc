"""Experiments and traces from MLflow's database: documents put together from what lies there as JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from budget_model.records.mlflow import Experiment, TraceDocument, TraceHead
from budget_model.sources.mlflow.database import MlflowDatabase
from budget_model.sources.mlflow.linked_prompts import TAG, Link, tag_of

AT_ONCE = 2_500
"""Traces in one question."""

_COLUMNS = "request_id, experiment_id, timestamp_ms, execution_time_ms, status, client_request_id"
_PAGE = (
    f"SELECT {_COLUMNS} FROM trace_info WHERE experiment_id IN :experiments AND timestamp_ms >= :since "  # noqa: S608
    "AND (timestamp_ms > :last_ms OR (timestamp_ms = :last_ms AND request_id > :last_id)) "
    "ORDER BY timestamp_ms, request_id LIMIT :most"
)
_BY_ID = f"SELECT {_COLUMNS} FROM trace_info WHERE request_id IN :ids"  # noqa: S608 fixed names
_PAIRS = "SELECT request_id, key, value FROM {} WHERE request_id IN :ids"
_SPANS = "SELECT trace_id, {} FROM spans WHERE trace_id IN :ids ORDER BY trace_id, span_id"
_BYTES = {"sqlite": "CAST(content AS BLOB)", "postgresql": "convert_to(content, 'UTF8')"}
"""A span's JSON as bytes: it is passed on, so that reading it as text would be work for nothing."""

_EXPERIMENTS = (
    "SELECT experiment_id, name FROM experiments WHERE lifecycle_stage = 'active' ORDER BY experiment_id"
)
_PROMPTS = (
    "SELECT source_id, destination_id FROM entity_associations WHERE source_type = 'trace' "
    "AND destination_type = 'prompt_version' AND source_id IN :ids"
)

Pairs = dict[str, dict[str, str]]


class TracesByDatabase:
    """Traces of one database whose schema is known."""

    def __init__(self, database: MlflowDatabase) -> None:
        self._database = database
        self._spans = _SPANS.format(_BYTES[database.kind])

    def experiments(self) -> list[Experiment]:
        """Experiments that are not deleted."""
        return [Experiment(str(number), name) for number, name in self._database.rows(_EXPERIMENTS)]

    def heads(self, experiment_ids: Sequence[str], since_ms: int) -> Iterator[list[TraceHead]]:
        """Pages of traces that began at ``since_ms`` or later, the earliest first."""
        if not experiment_ids:
            return
        last_ms, last_id = since_ms - 1, ""
        while True:
            params = {"experiments": [int(one) for one in experiment_ids], "since": since_ms, "most": AT_ONCE}
            found = list(self._database.rows(_PAGE, {**params, "last_ms": last_ms, "last_id": last_id}))
            if not found:
                return
            yield self._heads(found)
            last_ms, last_id = found[-1][2], found[-1][0]

    def heads_of(self, trace_ids: Sequence[str]) -> list[TraceHead]:
        """Those of the traces that still exist."""
        parts = (list(trace_ids[start : start + AT_ONCE]) for start in range(0, len(trace_ids), AT_ONCE))
        return [
            head for ids in parts for head in self._heads(list(self._database.rows(_BY_ID, {"ids": ids})))
        ]

    def documents(self, heads: Sequence[TraceHead]) -> Iterator[TraceDocument]:
        """The traces with their spans, which are not looked into."""
        for start in range(0, len(heads), AT_ONCE):
            part = heads[start : start + AT_ONCE]
            spans = defaultdict[str, list[bytes]](list)
            for trace_id, content in self._database.rows(
                self._spans, {"ids": [head.trace_id for head in part]}
            ):
                spans[trace_id].append(content)
            gone = self._gone([head.trace_id for head in part if head.trace_id not in spans])
            yield from (
                TraceDocument(head, _line(head, spans[head.trace_id]))
                for head in part
                if head.trace_id not in gone
            )

    def _gone(self, trace_ids: list[str]) -> set[str]:
        """Traces deleted since their heads were read, among those without spans."""
        if not trace_ids:
            return set()
        query = "SELECT request_id FROM trace_info WHERE request_id IN :ids"
        return set(trace_ids) - {row[0] for row in self._database.rows(query, {"ids": trace_ids})}

    def _heads(self, rows: list[tuple[Any, ...]]) -> list[TraceHead]:
        ids = [row[0] for row in rows]
        tags, metadata = self._pairs("trace_tags", ids), self._pairs("trace_request_metadata", ids)
        self._add_prompts(tags, ids)
        return [_head(row, tags.get(row[0], {}), metadata.get(row[0], {})) for row in rows]

    def _pairs(self, table: str, ids: list[str]) -> Pairs:
        found = defaultdict[str, dict[str, str]](dict)
        for trace_id, key, value in self._database.rows(_PAIRS.format(table), {"ids": ids}):
            found[trace_id][key] = value
        return found

    def _add_prompts(self, tags: Pairs, ids: list[str]) -> None:
        """Prompts linked in the table of associations, where no tag names any."""
        linked = defaultdict[str, list[Link]](list)
        for trace_id, target in self._database.rows(_PROMPTS, {"ids": ids}):
            name, _, version = target.rpartition("/")
            linked[trace_id].append((name, version))
        for trace_id, prompts in linked.items():
            tags[trace_id].setdefault(TAG, tag_of(prompts))


def _head(row: tuple[Any, ...], tags: dict[str, str], metadata: dict[str, str]) -> TraceHead:
    trace_id, experiment, start_ms, took_ms, state, client_id = row
    info = {
        "trace_id": trace_id,
        "experiment_id": str(experiment),
        "timestamp_ms": start_ms,
        "execution_time_ms": took_ms,
        "state": state,
        "client_request_id": client_id,
        "tags": dict(sorted(tags.items())),
        "trace_metadata": dict(sorted(metadata.items())),
    }
    return TraceHead(trace_id, str(experiment), start_ms, state, msgspec.json.encode(info))


def _line(head: TraceHead, spans: list[bytes]) -> bytes:
    joined = b",".join(spans)
    if b"\n" in joined:
        joined = joined.replace(b"\n", b" ")
    return b"".join((b'{"info":', head.info, b',"data":{"spans":[', joined, b"]}}"))
