"""The filter options every figure command takes, declared once and added by a decorator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Annotated, Any

import typer

from budget_model.commands.added_options import add_options
from budget_model.queries.address import SINCE, UNTIL, decode
from budget_model.queries.filters import Filter
from budget_model.services import clock
from budget_model.services.figures import Figures

_VALUES = "Repeat for several values; ~ stands for requests that carry none."


def _repeatable(words: str, metavar: str | None = None) -> Any:
    return Annotated[list[str] | None, typer.Option(help=f"{words} {_VALUES}", metavar=metavar)]


def _moment(words: str) -> Any:
    return Annotated[str | None, typer.Option(help=f"{words}: 2026-12-01T09:30Z or a while ago such as 7d.")]


OPTIONS: dict[str, Any] = {
    "workload": _repeatable("Workload class."),
    "tenant": _repeatable("Tenant."),
    "region": _repeatable("Region."),
    "bucket": _repeatable("Prompt bucket, such as 1k-4k."),
    "model": _repeatable("Model."),
    "prompt": _repeatable("Prompt; the name alone means every version.", "NAME[@V]"),
    "since": _moment("Requests started at or after"),
    "until": _moment("Requests started before"),
    "load_test": _repeatable("Load test, which is left out unless named."),
}
"""Option names and what Typer is to make of them."""


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """What the user gave; turned into a filter once the data is open."""

    workload: list[str] | None = None
    tenant: list[str] | None = None
    region: list[str] | None = None
    bucket: list[str] | None = None
    model: list[str] | None = None
    prompt: list[str] | None = None
    since: str | None = None
    until: str | None = None
    load_test: list[str] | None = None

    def to_filter(self, figures: Figures, now_us: int | None = None) -> Filter:
        """The filter meant. Raises FilterError for a time that cannot be read."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        parameters = {
            name: [value] if name in (SINCE, UNTIL) else value for name, value in given.items() if value
        }
        if self.prompt:
            parameters["prompt"] = [label for name in self.prompt for label in _versions(figures, name)]
        return decode(parameters, clock.now_us() if now_us is None else now_us)


def with_filter_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the filter options to a Typer command, which receives them as ``options``."""
    return add_options(command, "options", OPTIONS, lambda given: FilterOptions(**given))


def _versions(figures: Figures, name: str) -> list[str]:
    """Labels of a prompt's versions; the name itself when it is a label or nothing is known of it."""
    labels = [label for label, _ in figures.dimension_values()["prompt"] if label is not None]
    return [label for label in labels if label == name or label.startswith(f"{name}@")] or [name]
