"""The tolerant way into OTLP JSON: other spellings of a span brought to the one of the specification.

Accepted besides the specification: snake case names, ids in base64, kind and status by name,
times and integers as text or number, attributes as one object, null for anything optional.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from budget_model.normalise import ids
from budget_model.records.otlp_wire import (
    MAX_NS,
    RAW_ABSENT,
    RAW_NULL,
    WireEvent,
    WirePair,
    WireScope,
    WireSpan,
    WireStatus,
    WireValue,
)
from budget_model.records.rejects import BadRecordError
from budget_model.records.spans import KINDS, STATUSES

_VALUE_NAMES = tuple(
    f"{kind}Value" for kind in ("string", "int", "double", "bool", "array", "kvlist", "bytes")
)
_UPPER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def wire_span(found: object) -> WireSpan:
    """A span in any accepted spelling. Raises BadRecordError naming the value and what is accepted."""
    if not isinstance(found, dict):
        raise BadRecordError(found, "a span must be a JSON object")
    return WireSpan(
        trace_id=ids.trace_id(field(found, "traceId")),
        span_id=ids.span_id(field(found, "spanId")),
        parent_span_id=ids.parent_id(field(found, "parentSpanId")),
        name=_text(field(found, "name")),
        kind=_number_or_name(field(found, "kind"), KINDS, "SPAN_KIND_", "kind"),
        start_time_unix_nano=start_ns(field(found, "startTimeUnixNano")),
        end_time_unix_nano=_time_ns(field(found, "endTimeUnixNano"), "endTimeUnixNano"),
        attributes=wire_pairs(field(found, "attributes")),
        status=_status(field(found, "status")),
        events=[_event(event) for event in _list(field(found, "events"), "events")],
        links=[msgspec.Raw(msgspec.json.encode(link)) for link in _list(field(found, "links"), "links")],
        trace_state=_text(field(found, "traceState")),
        dropped_attributes_count=_count(field(found, "droppedAttributesCount")),
    )


def wire_scope(found: object) -> WireScope:
    """An instrumentation scope; anything that is none is a scope without a name."""
    if not isinstance(found, dict):
        return WireScope()
    return WireScope(_text(found.get("name")), _text(found.get("version")))


def wire_pairs(found: object) -> list[WirePair]:
    """Attributes as a list of key and value, or as one object. Raises BadRecordError for anything else."""
    if isinstance(found, dict):
        return [WirePair(str(key), _plain(value)) for key, value in found.items()]
    pairs = _list(found, "attributes")
    for pair in pairs:
        if not isinstance(pair, dict) or not isinstance(pair.get("key"), str):
            raise BadRecordError(pair, 'an attribute must be an object with a "key"')
    return [WirePair(pair["key"], wire_value(pair.get("value"))) for pair in pairs]


def wire_value(found: object) -> WireValue:
    """An AnyValue in any spelling; a bare text, number or boolean is taken as itself.

    An object of none of the known kinds is kept as its JSON text.
    """
    if not isinstance(found, dict):
        return _plain(found)
    if all(value is None for value in found.values()):
        return WireValue(array_value=RAW_NULL)
    if not any(field(found, name) is not None for name in _VALUE_NAMES):
        return WireValue(string_value=msgspec.json.encode(found).decode())
    integer, double = field(found, "intValue"), field(found, "doubleValue")
    return WireValue(
        string_value=_optional_text(field(found, "stringValue")) if not isinstance(double, str) else double,
        int_value=None if integer is None else _integer(integer, "intValue"),
        double_value=float(double) if isinstance(double, int | float) else None,
        bool_value=_boolean(field(found, "boolValue")),
        array_value=_raw(field(found, "arrayValue")),
        kvlist_value=_raw(field(found, "kvlistValue")),
        bytes_value=_optional_text(field(found, "bytesValue")),
    )


def field(found: Mapping[str, Any], name: str) -> Any:
    """The value of a field by its camel case name or its snake case spelling; None when absent."""
    value = found.get(name)
    return found.get(_UPPER.sub("_", name).lower()) if value is None else value


def start_ns(value: object) -> int:
    """A span's start in nanoseconds since the epoch. Raises BadRecordError when it is absent or zero."""
    time_ns = _time_ns(value, "startTimeUnixNano")
    if time_ns == 0:
        raise BadRecordError(
            "no value" if value is None else value, "startTimeUnixNano must be a time above zero"
        )
    return time_ns


def _time_ns(value: object, name: str) -> int:
    time_ns = 0 if value is None or value == "" else _integer(value, name)
    if not 0 <= time_ns <= MAX_NS:
        raise BadRecordError(value, f"{name} must be whole nanoseconds since 1970, at most {MAX_NS}")
    return time_ns


def _integer(value: object, name: str) -> int:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,20}", value):
        return int(value)
    raise BadRecordError(value, f"{name} must be a whole number")


def _number_or_name(value: object, names: tuple[str, ...], prefix: str, field_name: str) -> int:
    if value is None:
        return 0
    if isinstance(value, str) and not value.isdecimal():
        short = value.upper().removeprefix(prefix)
        if short in names:
            return names.index(short)
    elif isinstance(value, str | int) and int(value) in range(len(names)):
        return int(value)
    raise BadRecordError(value, f"{field_name} must be 0 to {len(names) - 1} or one of {', '.join(names)}")


def _status(value: object) -> WireStatus:
    if value is None:
        return WireStatus()
    if not isinstance(value, dict):
        raise BadRecordError(value, "status must be a JSON object")
    code = _number_or_name(value.get("code"), STATUSES, "STATUS_CODE_", "status code")
    return WireStatus(code, _text(value.get("message")))


def _event(value: object) -> WireEvent:
    if not isinstance(value, dict):
        raise BadRecordError(value, "an event must be a JSON object")
    time_ns = _time_ns(field(value, "timeUnixNano"), "event timeUnixNano")
    return WireEvent(time_ns, _text(value.get("name")), wire_pairs(field(value, "attributes")))


def _plain(value: object) -> WireValue:
    if isinstance(value, bool):
        return WireValue(bool_value=value)
    if isinstance(value, int):
        return WireValue(int_value=value)
    if isinstance(value, float):
        return WireValue(double_value=value)
    if isinstance(value, list | dict):
        return WireValue(string_value=msgspec.json.encode(value).decode())
    return WireValue(array_value=RAW_NULL) if value is None else WireValue(string_value=str(value))


def _list(value: object, name: str) -> list[Any]:
    if value is not None and not isinstance(value, list):
        raise BadRecordError(value, f"{name} must be a list")
    return value or []


def _count(value: object) -> int:
    return 0 if value is None else _integer(value, "droppedAttributesCount")


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _optional_text(value: object) -> str | None:
    return None if value is None else str(value)


def _boolean(value: object) -> bool | None:
    return None if value is None else value in (True, "true", 1)


def _raw(value: object) -> msgspec.Raw:
    return RAW_ABSENT if value is None else msgspec.Raw(msgspec.json.encode(value))
