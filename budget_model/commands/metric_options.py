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
_BOUND = "le"


def metric_names(histogram: str, error_label: str, labels: list[str] | None) -> MetricNames:
    """The names meant. Raises BudgetError for one that Prometheus would not accept, or with two meanings."""
    if not _METRIC.fullmatch(histogram):
        raise BudgetError(f"--histogram {histogram!r} is no metric name: letters, digits, _ and : make one")
    known = dict(MetricNames().labels)
    pairs = [_pair(text, tuple(known)) for text in labels or ()]
    names = MetricNames(histogram, _label(error_label, "--error-label"), known | dict(pairs))
    _refuse_two_meanings(pairs, names)
    return names


def _refuse_two_meanings(pairs: list[tuple[str, str]], names: MetricNames) -> None:
    dimensions = [dimension for dimension, _ in pairs]
    for dimension in dimensions:
        if dimensions.count(dimension) > 1:
            raise BudgetError(f"--label is given twice for {dimension}; once is accepted")
    meant = {_BOUND: "the histogram's bounds", names.error_label: "--error-label"}
    if names.error_label == _BOUND:
        raise BudgetError(f"--error-label {_BOUND!r} is the histogram's own; another label is accepted")
    for dimension, label in names.labels.items():
        if label in meant:
            raise BudgetError(
                f"label {label!r} would stand for both {meant[label]} and {dimension}; "
                f"give {dimension} another with --label {dimension}=LABEL"
            )
        meant[label] = dimension


def _pair(text: str, dimensions: tuple[str, ...]) -> tuple[str, str]:
    dimension, equals, label = text.partition("=")
    if not equals or dimension not in dimensions:
        raise BudgetError(f"--label {text!r}: write DIMENSION=LABEL with one of {', '.join(dimensions)}")
    return dimension, _label(label, "--label")


def _label(name: str, option: str) -> str:
    if not _LABEL.fullmatch(name):
        raise BudgetError(f"{option} {name!r} is no label name: letters, digits and _ make one")
    return name
