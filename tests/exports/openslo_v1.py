"""What the OpenSLO v1 specification asks of the documents we write, as a JSON schema of our own.

Field names, which of them are required and what they may hold are those of the specification and its
schemas (github.com/OpenSLO/OpenSLO, folder schemas/v1). The published SLI schema misspells
``ratioMetric``, so that no ratio passes it; here it is spelled as in the specification.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

NAME: Schema = {"type": "string", "maxLength": 63, "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"}
DURATION: Schema = {"type": "string", "pattern": "^[1-9][0-9]*[mhdwMQY]$"}


def closed(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    """An object with these fields and no others."""
    properties = {**required, **(optional or {})}
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


METADATA = closed({"name": NAME}, {"displayName": {"type": "string"}})
METRIC = closed(
    {
        "metricSource": closed(
            {"spec": {"type": "object"}}, {"metricSourceRef": NAME, "type": {"type": "string"}}
        )
    }
)
RATIO = closed({"counter": {"type": "boolean"}, "good": METRIC, "total": METRIC})
INDICATOR = closed({"metadata": METADATA, "spec": closed({"ratioMetric": RATIO})})
OBJECTIVE = closed(
    {"target": {"type": "number", "minimum": 0, "exclusiveMaximum": 1}}, {"displayName": {"type": "string"}}
)
WINDOW = closed({"duration": DURATION, "isRolling": {"type": "boolean"}})

SPECS: dict[str, Schema] = {
    "DataSource": closed({"type": {"type": "string"}, "connectionDetails": {"type": "object"}}),
    "Service": closed({}, {"description": {"type": "string", "maxLength": 1050}}),
    "SLO": closed(
        {
            "service": NAME,
            "indicator": INDICATOR,
            "timeWindow": {"type": "array", "items": WINDOW, "minItems": 1, "maxItems": 1},
            "budgetingMethod": {"enum": ["Occurrences", "Timeslices", "RatioTimeslices"]},
            "objectives": {"type": "array", "items": OBJECTIVE, "minItems": 1},
        },
        {"description": {"type": "string", "maxLength": 1050}},
    ),
}


def schema_of(kind: str) -> Schema:
    """The schema of one document."""
    return closed(
        {
            "apiVersion": {"const": "openslo/v1"},
            "kind": {"const": kind},
            "metadata": METADATA,
            "spec": SPECS[kind],
        }
    )
