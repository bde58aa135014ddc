"""What is said of single traces on a tracking server: one assessment a trace and budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import quote

import msgspec

from budget_model.exports.mlflow_client import Api, decoded

OVER_BUDGET = "tailbudget.over_budget"
"""Name of the assessments."""

_BUDGET, _VERSION = "tailbudget.budget", "tailbudget.version"
_TRACES = "/api/3.0/mlflow/traces"
_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Assessment:
    """What is said of a trace by a version of a budget; ``why`` is one sentence."""

    trace_id: str
    value: str
    why: str
    budget: str
    version: int


class Put(StrEnum):
    """What became of an assessment."""

    CREATED = "created"
    UPDATED = "updated"
    THERE = "already there"


class _Feedback(msgspec.Struct):
    value: object = None


class _Known(msgspec.Struct):
    assessment_id: str = ""
    assessment_name: str = ""
    feedback: _Feedback | None = None
    rationale: str = ""
    metadata: dict[str, str] = msgspec.field(default_factory=dict)


class _Info(msgspec.Struct):
    trace_id: str
    assessments: list[_Known] = msgspec.field(default_factory=list)


class _Infos(msgspec.Struct):
    trace_infos: list[_Info] = msgspec.field(default_factory=list)


@dataclass
class TraceAssessments:
    """Assessments on one server. Raises RemoteError."""

    api: Api
    _known: dict[str, list[_Known]] = field(default_factory=dict)

    def look(self, trace_ids: Sequence[str]) -> set[str]:
        """Read what is said of these traces already; those that the server still has."""
        for start in range(0, len(trace_ids), _AT_ONCE):
            body = {"trace_ids": list(trace_ids[start : start + _AT_ONCE])}
            answer = self.api.post(f"{_TRACES}/batchGetInfos", body)
            infos = decoded(answer, _Infos, self.api.base_url).trace_infos
            self._known.update((info.trace_id, info.assessments) for info in infos)
        return set(self._known).intersection(trace_ids)

    def put(self, one: Assessment) -> Put:
        """Say it of a trace that was looked at: once, and in place of what the same budget said before."""
        known = next((known for known in self._known[one.trace_id] if _is_of(known, one)), None)
        path = f"{_TRACES}/{quote(one.trace_id, safe='')}/assessments"
        if known is None:
            self.api.write(path, {"assessment": _body(one)})
            return Put.CREATED
        if _says(known, one):
            return Put.THERE
        body = {"assessment": _body(one), "update_mask": "feedback,rationale,metadata"}
        self.api.write(f"{path}/{quote(known.assessment_id, safe='')}", body, "PATCH")
        return Put.UPDATED


def _is_of(known: _Known, one: Assessment) -> bool:
    return known.assessment_name == OVER_BUDGET and known.metadata.get(_BUDGET) == one.budget


def _says(known: _Known, one: Assessment) -> bool:
    said = (known.feedback and known.feedback.value, known.rationale, known.metadata.get(_VERSION))
    return said == (one.value, one.why, str(one.version))


def _body(one: Assessment) -> dict[str, object]:
    return {
        "assessment_name": OVER_BUDGET,
        "trace_id": one.trace_id,
        "source": {"source_type": "CODE", "source_id": "tailbudget"},
        "feedback": {"value": one.value},
        "rationale": one.why,
        "metadata": {_BUDGET: one.budget, _VERSION: str(one.version)},
    }
