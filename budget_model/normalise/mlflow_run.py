"""A run of MLflow to a point of a sweep or a stage of a load test."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping

from budget_model.normalise.run_metrics import as_field, figure_of, plain
from budget_model.normalise.vocabulary.mlflow_runs import (
    AIPERF_TAG,
    LABELS,
    PUBLISHED_TAG,
    SETTINGS,
    SHARES,
)
from budget_model.records.mlflow import Run
from budget_model.records.rejects import BadRecordError
from budget_model.records.runs import IN_PROGRESS, RunPoint

PARENT = "mlflow.parentRunId"
CANCELLED = "aiperf.was_cancelled"

_MOST_CHARS = 500


Names = Mapping[str, tuple[str, ...]]
_NONE: Names = {}


def point_of(run: Run, own: Names = _NONE) -> RunPoint:
    """What the run says in this product's words, times in ms.

    ``own`` are names the user gave, by field, believed before the built-in ones.

    Raises BadRecordError, one sentence: a run without an id, one that has ended and holds no metric
    with a known name, or a value that cannot be what its name says.
    """
    if not run.run_id:
        raise BadRecordError(run.name, "a run must have an id")
    if PUBLISHED_TAG in run.tags:
        raise BadRecordError(run.name, "the run was published from Tailbudget itself")
    finite = {name: value for name, value in run.metrics.items() if math.isfinite(value)}
    measured = _measured(finite, own, is_aiperf=AIPERF_TAG in run.tags)
    point = RunPoint(
        run_id=_text(run.run_id),
        experiment_id=_text(run.experiment_id),
        name=_text(run.name),
        status=_text(run.status),
        lifecycle=_text(run.lifecycle),
        parent_id=_text(run.tags.get(PARENT, "")),
        start_ms=run.start_ms,
        end_ms=run.end_ms,
        labels=_labels(run, own),
        settings=_settings(run, finite, own),
        measured=measured,
        not_finite=len(run.metrics) - len(finite),
    )
    return _checked(point)


def _checked(point: RunPoint) -> RunPoint:
    if point.end_ms is not None and point.start_ms is not None and point.end_ms < point.start_ms:
        raise BadRecordError(point.end_ms, "the run ends before it starts")
    for name, value in (point.settings | point.measured).items():
        if value < 0:
            raise BadRecordError(value, f"{name} is {value:g}; 0 or more is accepted")
        if name in SHARES and value > 1:
            raise BadRecordError(value, f"{name} is {value:g}; a share of 0 to 1 is accepted")
    if not point.measured and point.status not in IN_PROGRESS:
        raise BadRecordError(point.name, "no metric of the run has a name that is known here")
    return point


def _measured(metrics: Mapping[str, float], own: Names, *, is_aiperf: bool) -> dict[str, float]:
    """Figures by name, of several metrics for one (a GPU each) the mean."""
    found = defaultdict[str, list[float]](list)
    for name, value in metrics.items():
        figure = figure_of(name, is_aiperf=is_aiperf)
        if figure is not None:
            found[figure[0]].append(value * figure[1])
    for field, names in own.items():
        given = next((one for one in names if one in metrics), None)
        if given is not None and field not in LABELS and field not in SETTINGS:
            found[field] = [metrics[given] * as_field(given, field)[1]]
    return {name: math.fsum(values) / len(values) for name, values in sorted(found.items())}


def _labels(run: Run, own: Names) -> dict[str, str]:
    told = {plain(name): value for name, value in (run.tags | run.params).items()}
    found = {label: _first(told, _all(label, names, own)) for label, names in LABELS.items()}
    if run.tags.get(CANCELLED, "").lower() == "true":
        found["cancelled"] = "true"
    if AIPERF_TAG in run.tags:
        found["tool"] = f"AIPerf {run.tags[AIPERF_TAG]}"
    return {label: _text(value) for label, value in found.items() if value}


def _all(field: str, names: tuple[str, ...], own: Names) -> tuple[str, ...]:
    return (*map(plain, own.get(field, ())), *names)


def _first(told: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((told[name] for name in names if told.get(name)), "")


def _settings(run: Run, metrics: Mapping[str, float], own: Names) -> dict[str, float]:
    """Numbers that were set; those that are not finite (vLLM's rate ``inf``) or empty are left out."""
    told: dict[str, str | float] = {plain(name): value for name, value in metrics.items()}
    told |= {plain(name): value for name, value in (run.tags | run.params).items()}
    found: dict[str, float] = {}
    for setting, names in SETTINGS.items():
        names = _all(setting, names, own)
        name = next((name for name in names if told.get(name) not in (None, "", "None")), None)
        if name is not None and math.isfinite(value := _number(setting, told[name])):
            found[setting] = value
    return found


def _number(setting: str, told: str | float) -> float:
    try:
        return float(told)
    except ValueError:
        raise BadRecordError(told, f"{setting} is {str(told)[:60]!r}; a number is accepted") from None


def _text(value: str) -> str:
    # PostgreSQL keeps no NUL in a text.
    return value.replace("\0", "\ufffd")[:_MOST_CHARS]
