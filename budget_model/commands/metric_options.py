"""What the metrics of an export are called, off the command line."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from budget_model.errors import BudgetError
from budget_model.services.exporting import MetricNames

DEFAULT_HISTOGRAM, DEFAULT_ERROR_LABEL = MetricNames().histogram, MetricNames().error_label

HistogramOption = Annotated[
    str, typer.Option("--histogram", help="The end-to-end duration histogram, in seconds, without _bucket.")
]
ErrorLabelOption = Annotated[
    str, typer.Option("--error-label", help="The label that is empty on requests that succeeded.")
]
LabelOption = Annotated[
    list[str] | None,
    typer.Option("--label", metavar="DIMENSION=LABEL", help="A dimension's label, such as tenant=customer."),
]

_METRIC = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


def metric_names(histogram: str, error_label: str, labels: list[str] | None) -> MetricNames:
    """The names meant. Raises BudgetError for one that Prometheus would not accept."""
    if not _METRIC.fullmatch(histogram):
        raise BudgetError(f"--histogram {histogram!r} is no metric name: letters, digits, _ and : make one")
    known = dict(MetricNames().labels)
    given = dict(_pair(text, tuple(known)) for text in labels or ())
    return MetricNames(histogram, _label(error_label, "--error-label"), known | given)


def _pair(text: str, dimensions: tuple[str, ...]) -> tuple[str, str]:
    dimension, equals, label = text.partition("=")
    if not equals or dimension not in dimensions:
        raise BudgetError(f"--label {text!r}: write DIMENSION=LABEL with one of {', '.join(dimensions)}")
    return dimension, _label(label, "--label")


def _label(name: str, option: str) -> str:
    if not _LABEL.fullmatch(name):
        raise BudgetError(f"{option} {name!r} is no label name: letters, digits and _ make one")
    return name
