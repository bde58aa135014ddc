"""Fields that span formats other than OTLP share, in the spellings they have there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import msgspec

from budget_model.normalise.texts import cut_text, cut_value
from budget_model.normalise.times import moment
from budget_model.records.raw import TEXT_CUT
from budget_model.records.rejects import BadRecordError, Warned
from budget_model.records.spans import KINDS, STATUSES, Attributes, Span
from budget_model.units import NS_PER_UNIT


def plain_attributes(found: Mapping[str, Any], limit: int) -> Attributes:
    """Attributes with long texts cut to ``limit`` characters and their names listed under ``TEXT_CUT``."""
    kept: Attributes = {}
    cut: list[str] = []
    for name, value in found.items():
        kept[name], was_cut = cut_value(_json(value), limit)
        if was_cut:
            cut.append(name)
    if cut:
        kept[TEXT_CUT] = cut
    return kept


def kind_of(value: object) -> str:
    """A span kind by its number or by its name (``SpanKind.SERVER``, ``SPAN_KIND_SERVER``, ``server``)."""
    if value is None or value == "":
        return KINDS[0]
    if isinstance(value, int) and 0 <= value < len(KINDS):
        return KINDS[value]
    name = str(value).upper().rpartition(".")[2].removeprefix("SPAN_KIND_")
    if name not in KINDS:
        raise BadRecordError(value, f"kind must be one of {', '.join(KINDS)}")
    return name


def status_of(value: object) -> str:
    """A status by its number or by its name (``StatusCode.ERROR``, ``STATUS_CODE_ERROR``, ``ERROR``)."""
    if value is None or value == "":
        return STATUSES[0]
    if isinstance(value, int) and 0 <= value < len(STATUSES):
        return STATUSES[value]
    name = str(value).upper().rpartition(".")[2].removeprefix("STATUS_CODE_")
    if name not in STATUSES:
        raise BadRecordError(value, f"status must be one of {', '.join(STATUSES)}")
    return name


def micros_ns(value: object, name: str) -> int | None:
    """Whole microseconds, as a number or as text, in nanoseconds; None when absent."""
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise BadRecordError(value, f"{name} must be whole microseconds")
    try:
        micros = int(value)
    except (ValueError, OverflowError):
        raise BadRecordError(value, f"{name} must be whole microseconds") from None
    if (isinstance(value, float) and micros != value) or abs(micros) >= 2**63 // NS_PER_UNIT["us"]:
        raise BadRecordError(value, f"{name} must be whole microseconds, at most up to the year 2262")
    return micros * NS_PER_UNIT["us"]


def span_object(content: bytes) -> dict[str, Any]:
    """The JSON object of one span. Raises BadRecordError when it is anything else."""
    try:
        found = msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadRecordError(content, f"the span cannot be read: {error}") from None
    if not isinstance(found, dict):
        raise BadRecordError(content, "a span must be a JSON object")
    return found


def required_object(value: object, name: str) -> dict[str, Any]:
    """A JSON object; none is an empty one. Raises BadRecordError for anything else."""
    if value is not None and not isinstance(value, dict):
        raise BadRecordError(value, f"{name} must be a JSON object")
    return value or {}


def required_list(value: object, name: str) -> list[Any]:
    """A JSON list; none is an empty one. Raises BadRecordError for anything else."""
    if value is not None and not isinstance(value, list):
        raise BadRecordError(value, f"{name} must be a JSON list")
    return value or []


class Times:
    """Reads ISO times or epoch numbers of one span and remembers whether a zone had to be assumed."""

    def __init__(self) -> None:
        self.zone_assumed = False

    def ns(self, value: object, name: str, unit: str | None = None) -> int | None:
        """Nanoseconds since the epoch; None when absent. Raises BadRecordError naming the field."""
        try:
            found = moment(value, unit)
        except BadRecordError as error:
            raise BadRecordError(value, f"{name}: {error.reason}") from None
        if found is None:
            return None
        self.zone_assumed = self.zone_assumed or found.zone_assumed
        return found.time_ns

    def start_ns(self, value: object, name: str, unit: str | None = None) -> int:
        """As ``ns``, for a time that must be there."""
        found = self.ns(value, name, unit)
        if not found:
            raise BadRecordError("no value" if value is None else value, f"{name} must be a time above zero")
        return found


def remarks(span: Span, where: str, limit: int, *, zone_assumed: bool = False) -> Iterator[Warned]:
    """What is worth saying about an accepted span."""
    if TEXT_CUT in span.attributes:
        names = ", ".join(span.attributes[TEXT_CUT][:3])
        yield Warned("text-cut", 1, f"{where}, span {span.span_id}: {names} cut to {limit} characters")
    if zone_assumed:
        yield Warned("zone-assumed", 1, f"{where}: a time without a zone was taken as UTC")


def short_text(value: object, limit: int) -> str:
    """A value as text of bounded length; none is empty."""
    return "" if value is None else cut_text(str(value), limit)


def _json(value: Any) -> Any:
    """A value as JSON holds it: decimals as numbers, and as text what fits no 64-bit number."""
    if isinstance(value, list):
        return [_json(item) for item in value]
    if isinstance(value, dict):
        return {name: _json(item) for name, item in value.items()}
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    if not isinstance(value, Decimal):
        return value
    number = float(value)
    return number if abs(number) < float("inf") else str(value)
