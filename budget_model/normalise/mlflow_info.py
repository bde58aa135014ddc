"""What MLflow says of a trace as a whole: identity, state, times, tags and metadata."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from budget_model.normalise import mlflow_ids
from budget_model.normalise.span_fields import Times, plain_attributes
from budget_model.records.rejects import BadRecordError
from budget_model.records.spans import Attributes
from budget_model.units import NS_PER_UNIT

TRACE_ID = "mlflow.trace_id"
EXPERIMENT_ID = "mlflow.experiment_id"
STATE = "mlflow.state"
PAGES = "mlflow.pages"
INFO_ONLY = "mlflow.info_only"
"""Attribute of the span made for a trace of which no span is known."""

_OWN = "mlflow."


@dataclass(frozen=True, slots=True)
class Info:
    """One trace. ``resource`` (a user's own tags) goes on each span, ``details`` on the root.

    ``end_ns`` is None while the trace is in progress or its duration is unknown.
    """

    trace_id: str
    name: str
    state: str
    start_ns: int | None
    end_ns: int | None
    resource: Attributes
    details: Attributes


def info_of(found: dict[str, Any], limit: int) -> Info:
    """Read an info object of schema 2 or 3, or the one of MLflow's REST API.

    Raises BadRecordError when it has no id or a time that is none.
    """
    identity = found.get("trace_id") or found.get("request_id")
    tags = _pairs(found.get("tags"), "tags")
    metadata = _pairs(found.get("trace_metadata", found.get("request_metadata")), "trace_metadata")
    state = str(found.get("state") or found.get("status") or "")
    start_ns = _start_ns(found)
    details = {name: value for name, value in tags.items() if name.startswith(_OWN)} | metadata
    details |= {TRACE_ID: identity, STATE: state}
    resource = {name: value for name, value in tags.items() if not name.startswith(_OWN)}
    if (experiment := _experiment(found)) is not None:
        resource[EXPERIMENT_ID] = experiment
    return Info(
        trace_id=mlflow_ids.trace_id(identity),
        name=str(tags.get("mlflow.traceName") or ""),
        state=state,
        start_ns=start_ns,
        end_ns=_end_ns(found, start_ns, state),
        resource=plain_attributes(resource, limit),
        details=plain_attributes(details, limit),
    )


def _pairs(value: object, name: str) -> dict[str, Any]:
    """An object, or the list of key and value that older servers send."""
    if isinstance(value, list):
        return {str(one.get("key")): one.get("value") for one in value if isinstance(one, dict)}
    if value is not None and not isinstance(value, dict):
        raise BadRecordError(value, f"{name} must be a JSON object")
    return value or {}


def _experiment(found: dict[str, Any]) -> str | None:
    location = found.get("trace_location")
    inner = location.get("mlflow_experiment") if isinstance(location, dict) else None
    known = inner.get("experiment_id") if isinstance(inner, dict) else found.get("experiment_id")
    return None if known is None else str(known)


def _start_ns(found: dict[str, Any]) -> int | None:
    times = Times()
    if found.get("request_time") is not None:
        return times.ns(found["request_time"], "request_time")
    return times.ns(found.get("timestamp_ms"), "timestamp_ms", "ms")


def _end_ns(found: dict[str, Any], start_ns: int | None, state: str) -> int | None:
    duration_ns = _duration_ns(found)
    if start_ns is None or duration_ns is None or duration_ns < 0 or state not in ("OK", "ERROR"):
        return None
    return start_ns + duration_ns


def _duration_ns(found: dict[str, Any]) -> int | None:
    """Whole milliseconds, or seconds as text (``4.823s``)."""
    text = found.get("execution_duration")
    if isinstance(text, str) and text.endswith("s"):
        try:
            return round(float(text[:-1]) * NS_PER_UNIT["s"])
        except ValueError:
            raise BadRecordError(text, "execution_duration must be seconds, such as 4.823s") from None
    ms = found.get("execution_duration_ms", found.get("execution_time_ms"))
    return ms * NS_PER_UNIT["ms"] if isinstance(ms, int) else None
