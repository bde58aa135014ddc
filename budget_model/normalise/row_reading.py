"""Reading one row: its cells by meaning, with a note of everything that had to be assumed or left out."""

from __future__ import annotations

from typing import Any

from budget_model.normalise.cells import count_of, decimal_of, duration_ns, is_no_number, text_of
from budget_model.normalise.times import Moment, moment
from budget_model.records.columns import Plan, Timed, plan_of, unit_of
from budget_model.records.facts import Flag
from budget_model.records.raw import RawRecord
from budget_model.records.rejects import BadRecordError, Warned
from budget_model.records.rows import Row


class RowReading:
    """One row; ``warnings`` and ``flags`` fill while it is read. Bad values raise BadRecordError."""

    def __init__(self, raw: RawRecord, max_text_chars: int) -> None:
        row: Row = raw.payload
        self.cells = row.cells
        self.derived_id = row.derived_id
        self.plan: Plan = plan_of(tuple(row.cells))
        self.where = raw.where
        self.limit = max_text_chars
        self.warnings: list[Warned] = []
        self.flags = Flag(0)

    def warn(self, code: str, example: str) -> None:
        """Note something about this row that the user is to be told."""
        self.warnings.append(Warned(code, 1, f"{self.where}: {example}"))

    def text(self, meaning: str) -> str | None:
        """The value of a plain column as text, cut to the length allowed."""
        column = self.plan.values.get(meaning)
        value = None if column is None else text_of(self.cells[column])
        if value is not None and len(value) > self.limit:
            self.flags |= Flag.TEXT_CUT
            self.warn("text-cut", f"{meaning} cut to {self.limit} characters")
            return value[: self.limit]
        return value

    def count(self, meaning: str) -> int | None:
        """The value of a plain column as a whole number of at least 0."""
        column = self.plan.values.get(meaning)
        return None if column is None else count_of(self._numeric(column), column)

    def duration(self, meaning: str) -> int | None:
        """The value of a duration column in nanoseconds."""
        timed = self.plan.durations.get(meaning)
        if timed is None:
            return None
        value = self._numeric(timed.column)
        if value is None or value == "":
            return None
        return duration_ns(value, timed.unit or self._named_unit(timed), timed.column)

    def _named_unit(self, timed: Timed) -> str:
        column = timed.unit_column or ""
        return unit_of(self.cells.get(column), column)

    def _numeric(self, column: str) -> Any:
        value = self.cells[column]
        if is_no_number(value):
            self.warn("no-number", f"{column} is {value}, taken as not recorded")
            return None
        return value

    def start(self) -> Moment | None:
        """The moment the request started; None, and a flag, when the row does not tell."""
        timed = self.plan.time
        found = None
        if timed is not None:
            try:
                found = moment(self._numeric(timed.column), timed.unit)
            except BadRecordError as error:
                if not _is_plain_number(self.cells[timed.column]):
                    raise
                self.warn("time-unusable", f"{timed.column} {error.value} {error.reason}")
        if found is not None and found.is_relative:
            self.warn("time-relative", f"{timed.column if timed else ''} counts from no known moment")
            found = None
        if found is None:
            self.flags |= Flag.NO_TIME
            return None
        self._say_assumptions(found)
        return found

    def _say_assumptions(self, found: Moment) -> None:
        if found.zone_assumed:
            self.flags |= Flag.ZONE_ASSUMED
            self.warn("zone-assumed", "a time without a zone was taken as UTC")
        if found.unit_assumed:
            self.warn("unit-assumed", f"a time without a unit was taken as {found.unit_assumed}")


def _is_plain_number(value: Any) -> bool:
    try:
        return decimal_of(value) is not None
    except BadRecordError:
        return False
