"""Runs of an experiment on a tracking server, over MLflow's REST API: each record once."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeVar

import msgspec

from budget_model.errors import RemoteError
from budget_model.exports.mlflow_run import IDENTITY, RunRecord

_BASE = "/api/2.0/mlflow"
_UPLOAD = "/ajax-api/2.0/mlflow/upload-artifact"

_METRICS_AT_ONCE = 1_000
"""The most a server takes in one request."""


class Api(Protocol):
    """How a server is asked; everything raises RemoteError in one sentence.

    ``write`` and ``upload`` are tried once, since the first try may have been heard.
    """

    @property
    def base_url(self) -> str:
        """The server's address without credentials."""

    def post(self, path: str, body: Mapping[str, Any]) -> bytes:
        """The answer to a question."""

    def write(self, path: str, body: Mapping[str, Any], method: str = "POST") -> bytes:
        """The answer to a change."""

    def upload(self, path: str, params: Mapping[str, Any], content: bytes) -> None:
        """Send a file."""


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """Where a record is on the server, and whether it was put there now. ``url`` is MLflow's own page."""

    kind: str
    name: str
    run_id: str
    url: str
    created: bool


class _Experiment(msgspec.Struct):
    experiment_id: str = ""
    lifecycle_stage: str = "active"


class _Experiments(msgspec.Struct):
    experiments: list[_Experiment] = msgspec.field(default_factory=list)


class _Info(msgspec.Struct):
    run_id: str
    start_time: int = 0


class _Run(msgspec.Struct):
    info: _Info


class _Created(msgspec.Struct):
    run: _Run


class _Runs(msgspec.Struct):
    runs: list[_Run] = msgspec.field(default_factory=list)


Answer = TypeVar("Answer", bound=msgspec.Struct)


def decoded(content: bytes, kind: type[Answer], address: str) -> Answer:
    """An answer as what it should be. Raises RemoteError when it is not."""
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, RecursionError) as problem:
        raise RemoteError(f"{address}: an answer cannot be used: {problem}") from problem


class ExperimentRuns:
    """The runs of one experiment, which is made with the first of them. Raises RemoteError."""

    def __init__(self, api: Api, experiment: str) -> None:
        self._api = api
        self._experiment = experiment

    @cached_property
    def experiment_id(self) -> str:
        """The experiment's id."""
        found = self._found_experiment()
        if found is None:
            found = self._made_experiment()
        if found.lifecycle_stage != "active":
            raise RemoteError(
                f"{self._api.base_url}: the experiment {self._experiment!r} is deleted there; "
                "restore it or give another name"
            )
        return found.experiment_id

    def publish(self, record: RunRecord, now_ms: int) -> PublishedRun:
        """The run of this record: the one that is there, or a new one that is whole.

        The identity is written last, so that a run which broke off is never taken for the whole; it
        is removed if the server still allows it.
        """
        identity = record.identity
        if there := self._with_identity(identity):
            return self._published(record, there[0], created=False)
        run_id = self._create(record, now_ms)
        try:
            self._fill(run_id, record, now_ms)
            self._write("runs/update", run_id=run_id, status="FINISHED", end_time=now_ms)
            self._write("runs/set-tag", run_id=run_id, key=IDENTITY, value=identity)
        except BaseException:
            with suppress(RemoteError):
                self._write("runs/delete", run_id=run_id)
            raise
        return self._only_one(record, identity, run_id)

    def _only_one(self, record: RunRecord, identity: str, run_id: str) -> PublishedRun:
        """Two may publish the same at once: the later of them at least sees both, and leaves the first."""
        first, *others = self._with_identity(identity) or [run_id]
        for other in others:
            with suppress(RemoteError):  # the other one may have removed it as well
                self._write("runs/delete", run_id=other)
        return self._published(record, first, created=first == run_id)

    def _with_identity(self, identity: str) -> list[str]:
        body = {
            "experiment_ids": [self.experiment_id],
            "filter": f"tags.`{IDENTITY}` = '{identity}'",
            "run_view_type": "ACTIVE_ONLY",
            "max_results": 100,
        }
        found = self._decoded(self._api.post(f"{_BASE}/runs/search", body), _Runs)
        runs = sorted((run.info.start_time, run.info.run_id) for run in found.runs)
        return [run_id for _, run_id in runs]

    def _create(self, record: RunRecord, now_ms: int) -> str:
        tags = _pairs(record.tags)
        answer = self._write(
            "runs/create",
            experiment_id=self.experiment_id,
            start_time=now_ms,
            run_name=record.name,
            tags=tags,
        )
        return self._decoded(answer, _Created).run.info.run_id

    def _fill(self, run_id: str, record: RunRecord, now_ms: int) -> None:
        self._write("runs/log-batch", run_id=run_id, params=_pairs(record.params))
        metrics = [
            {"key": key, "value": value, "timestamp": now_ms, "step": 0}
            for key, value in record.metrics.items()
        ]
        for start in range(0, len(metrics), _METRICS_AT_ONCE):
            some = metrics[start : start + _METRICS_AT_ONCE]
            self._write("runs/log-batch", run_id=run_id, metrics=some)
        for artifact in record.artifacts:
            params = {"run_uuid": run_id, "path": artifact.path}
            self._api.upload(_UPLOAD, params, artifact.content.encode())

    def _found_experiment(self) -> _Experiment | None:
        body = {"filter": f"name = '{self._experiment}'", "view_type": "ALL", "max_results": 1}
        answer = self._api.post(f"{_BASE}/experiments/search", body)
        return next(iter(self._decoded(answer, _Experiments).experiments), None)

    def _made_experiment(self) -> _Experiment:
        try:
            answer = self._write("experiments/create", name=self._experiment)
        except RemoteError:
            # Somebody else may have made it just now.
            found = self._found_experiment()
            if found is None:
                raise
            return found
        return self._decoded(answer, _Experiment)

    def _published(self, record: RunRecord, run_id: str, *, created: bool) -> PublishedRun:
        url = f"{self._api.base_url}/#/experiments/{self.experiment_id}/runs/{run_id}"
        return PublishedRun(str(record.kind), record.name, run_id, url, created)

    def _write(self, what: str, **body: object) -> bytes:
        return self._api.write(f"{_BASE}/{what}", body)

    def _decoded(self, content: bytes, kind: type[Answer]) -> Answer:
        return decoded(content, kind, self._api.base_url)


def _pairs(values: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"key": key, "value": value} for key, value in values.items()]
