"""Table cells for the terminal. Labels come from data, so they are shown as text and nothing else."""

from __future__ import annotations

from rich.text import Text

from budget_model.queries.results import Interval

NOT_RECORDED = "not recorded"
NO_DATA = "no data"


def label(value: str | None) -> Text:
    """A label without anything a terminal would act on; missing ones in words."""
    if value is None:
        return Text(NOT_RECORDED, style="dim")
    return Text("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in value))


def milliseconds(value: float | None) -> Text:
    """A duration in ms: one decimal, three below 10 ms; missing ones in words."""
    if value is None:
        return Text(NO_DATA, style="dim")
    return Text(f"{value:,.1f}" if abs(value) >= 10 else f"{value:.3f}")


def interval(found: Interval) -> Text:
    """Both ends of a confidence interval; an end the sample is too small for is said to be unknown."""
    low = "?" if found.low_ms is None else f"{found.low_ms:,.0f}"
    high = "?" if found.high_ms is None else f"{found.high_ms:,.0f}"
    return Text(f"{low} .. {high}")
