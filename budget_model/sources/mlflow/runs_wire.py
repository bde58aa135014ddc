"""A run as MLflow's REST API and its exports write it."""

from __future__ import annotations

import math

import msgspec

from budget_model.records.mlflow import Run

_LARGEST = 1.7976931348623157e308
"""What MLflow keeps for infinity, which its databases cannot hold."""


class Metric(msgspec.Struct):
    """One value; NaN and infinities come as text."""

    key: str = ""
    value: float | str = "NaN"
    step: int | str = 0


class _Pair(msgspec.Struct):
    key: str = ""
    value: str = ""


class _Info(msgspec.Struct):
    run_id: str = ""
    run_uuid: str = ""
    experiment_id: str = ""
    run_name: str = ""
    status: str = ""
    lifecycle_stage: str = "active"
    start_time: int | str | None = None
    end_time: int | str | None = None


class _Data(msgspec.Struct):
    metrics: list[Metric] = msgspec.field(default_factory=list)
    params: list[_Pair] = msgspec.field(default_factory=list)
    tags: list[_Pair] = msgspec.field(default_factory=list)


class RunOnWire(msgspec.Struct):
    """One run with its last metrics."""

    info: _Info
    data: _Data = msgspec.field(default_factory=_Data)


def number(value: float | str) -> float:
    """A metric's value as it was logged. Raises ValueError for text that is no number."""
    found = float(value)
    return math.copysign(math.inf, found) if abs(found) >= _LARGEST else found


def run_of(wire: RunOnWire) -> Run:
    """The run. Raises ValueError for a time or a metric that is no number."""
    info, data = wire.info, wire.data
    tags = {one.key: one.value for one in data.tags}
    return Run(
        run_id=info.run_id or info.run_uuid,
        experiment_id=info.experiment_id,
        name=info.run_name or tags.get("mlflow.runName", ""),
        status=info.status,
        lifecycle=info.lifecycle_stage,
        start_ms=_time_ms(info.start_time),
        end_ms=_time_ms(info.end_time),
        metrics={one.key: number(one.value) for one in data.metrics},
        params={one.key: one.value for one in data.params},
        tags=tags,
    )


def _time_ms(value: int | str | None) -> int | None:
    """Milliseconds; a run that has not ended has none, or 0 where it is written as a number."""
    return int(value or 0) or None
