"""Which column of a table means what: worked out once for each set of column names.

The source asks in order to tell a log of requests from a list of arrivals; the normaliser, to find
the values.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from budget_model.records.rejects import BadRecordError
from budget_model.records.rows import (
    DURATION_NAMES,
    KNOWN_UNITS,
    TIME_NAMES,
    UNIT_ENDINGS,
    VALUE_NAMES,
    plain_name,
    split_unit,
)
from budget_model.units import NS_PER_UNIT

_RANKS = {name: rank for rank, name in enumerate((*VALUE_NAMES, *DURATION_NAMES, *TIME_NAMES))}


@dataclass(frozen=True, slots=True)
class Timed:
    """A column of durations or times; its unit is fixed, or stands in ``unit_column``, or neither."""

    column: str
    unit: str | None
    unit_column: str | None = None


@dataclass(slots=True)
class Plan:
    """Columns by what they mean. The first known name of a meaning is taken; others are ``unused``."""

    durations: dict[str, Timed] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    time: Timed | None = None
    unused: list[str] = field(default_factory=list)


@lru_cache(maxsize=512)
def plan_of(columns: tuple[str, ...]) -> Plan:
    """The plan for a table, or an object, with these names; treat it as read-only."""
    plan = Plan()
    by_name: dict[str, str] = {}
    for column in columns:
        if by_name.setdefault(plain_name(column), column) != column:
            plan.unused.append(column)
    units = {name.removesuffix("_unit"): column for name, column in by_name.items() if name.endswith("_unit")}
    for name, column in sorted(by_name.items(), key=lambda item: _rank(item[0])):
        if not _place(plan, name, column, units) and column not in units.values():
            plan.unused.append(column)
    return plan


def unit_of(cell: object, column: str) -> str:
    """The unit named in a cell. Raises BadRecordError when it is none."""
    name = str(cell).strip().lower()
    unit = UNIT_ENDINGS.get(name, name)
    if unit not in NS_PER_UNIT:
        raise BadRecordError(
            "no value" if cell in (None, "") else cell, f"{column} must be one of {', '.join(NS_PER_UNIT)}"
        )
    return unit


def _rank(name: str) -> int:
    """Where a name stands among those of its meaning; the order of columns in a file decides nothing."""
    base = split_unit(name)[0]
    return min(_RANKS.get(name, len(_RANKS)), _RANKS.get(base, len(_RANKS)))


def _place(plan: Plan, name: str, column: str, units: dict[str, str]) -> bool:
    """Note what a column means; False when nothing, or when that is known from another column."""
    base, unit = split_unit(name)
    if name in VALUE_NAMES:
        return plan.values.setdefault(VALUE_NAMES[name], column) == column
    if base in DURATION_NAMES:
        timed = Timed(column, unit or KNOWN_UNITS.get(base), units.get(base))
        has_unit = timed.unit is not None or timed.unit_column is not None
        return has_unit and plan.durations.setdefault(DURATION_NAMES[base], timed) is timed
    if (base in TIME_NAMES or name == "time") and plan.time is None:
        plan.time = Timed(column, unit)
        return True
    return False
